// Notifications on this device and others, with a test.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { accountApi, type Device } from "../../api/account";
import { TroubleNote } from "../../parts/TroubleNote";
import { Nothing, Section, Shown } from "../../parts/View";
import { notify } from "../../state/announce";
import { subscribeHere, subscriptionHere, supported, unsubscribeHere } from "../../state/push";
import { useAct } from "../../state/useAct";
import { useRead } from "../../state/useRead";
import { words } from "../../words/all";
import { since } from "../../words/format";
import { deviceName } from "./Account";

function Row({ device, changed }: { device: Device; changed: () => void }): JSX.Element {
  const t = words().push;
  const { busy, trouble, act } = useAct();
  return (
    <li class="line still">
      <span class="line-main">
        <b>{deviceName(device.device)}</b>
        <span>
          {t.since(since(device.createdAt))} {device.sentAt && t.lastSent(since(device.sentAt))} {device.failures > 0 && t.failures(device.failures)}
        </span>
        {trouble && <TroubleNote trouble={trouble} />}
      </span>
      <span class="line-side">
        <button type="button" class="small" disabled={busy} onClick={() => void act(() => accountApi.forgetDevice(device.id)).then((ok) => ok && changed())}>
          {t.forget}
        </button>
      </span>
    </li>
  );
}

export function Push(): JSX.Element {
  const t = words().push;
  const { now, again } = useRead(() => accountApi.devices(), "devices");
  const [here, setHere] = useState<boolean | null>(null);
  const { busy, trouble, act } = useAct();
  useEffect(() => void subscriptionHere().then((found) => setHere(found !== null)), []);
  const turn = async (): Promise<void> => {
    await act(here ? unsubscribeHere : subscribeHere);
    setHere((await subscriptionHere()) !== null);
    await again();
  };
  const test = (): void =>
    void act(async () => {
      const { sent, failed } = await accountApi.testPush();
      notify({ text: t.tested(sent, failed) });
    });
  return (
    <Section
      title={t.title}
      note={t.note}
      actions={
        supported && (
          <button type="button" class={here ? "" : "go"} disabled={busy || here === null} onClick={() => void turn()}>
            {here ? t.turnOff : t.turnOn}
          </button>
        )
      }
    >
      {!supported && <p class="note warn">{t.notSupported}</p>}
      {trouble && <TroubleNote trouble={trouble} />}
      <Shown now={now} again={() => void again()}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing icon="bell" title={t.noDevices}>
              <p>{t.noDevicesHint}</p>
            </Nothing>
          ) : (
            <>
              <ul class="lines">
                {items.map((device) => (
                  <Row key={device.id} device={device} changed={() => void again()} />
                ))}
              </ul>
              <p class="acts">
                <button type="button" disabled={busy} onClick={test}>
                  {t.test}
                </button>
              </p>
            </>
          )
        }
      </Shown>
    </Section>
  );
}
