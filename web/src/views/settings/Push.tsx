// Notifications on this device and others, with a test.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { accountApi, type Device, type Tested } from "../../api/account";
import { TroubleNote } from "../../parts/TroubleNote";
import { Nothing, Section, Shown } from "../../parts/View";
import { deviceHere, subscribeHere, supported, unsubscribeHere } from "../../state/push";
import { useAct } from "../../state/useAct";
import { useRead } from "../../state/useRead";
import { words } from "../../words/all";
import { since } from "../../words/format";
import { deviceName } from "./Account";

function Row({ device, here, changed }: { device: Device; here: boolean; changed: () => void }): JSX.Element {
  const t = words().push;
  const { busy, trouble, act } = useAct();
  return (
    <li class="line still">
      <span class="line-main">
        <b>
          {deviceName(device.device)} {here && <span class="badge safe">{words().account.thisOne}</span>}
        </b>
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

/** Whether it was sent, and what to do where it was not. */
function Outcome({ tested }: { tested: Tested }): JSX.Element {
  const t = words().push;
  const { sent, failed, pruned } = tested;
  return (
    <div class={`note column ${failed + pruned ? "warn" : ""}`} role="status">
      {sent > 0 && <p>{t.tested(sent)}</p>}
      {failed > 0 && <p>{t.notReached(failed)}</p>}
      {pruned > 0 && <p>{t.gone(pruned)}</p>}
    </div>
  );
}

export function Push(): JSX.Element {
  const t = words().push;
  const { now, again } = useRead(async () => {
    const { items } = await accountApi.devices();
    return { items, here: await deviceHere(items) };
  }, "devices");
  const [tested, setTested] = useState<Tested | null>(null);
  const { busy, trouble, act } = useAct();
  const here = now.state === "ready" && now.value.here;
  const changed = (): void => {
    setTested(null);
    void again();
  };
  const turn = async (): Promise<void> => {
    await act(here ? unsubscribeHere : subscribeHere);
    changed();
  };
  const test = (): void =>
    void act(async () => {
      setTested(null);
      setTested(await accountApi.testPush());
      await again();
    });
  return (
    <Section
      title={t.title}
      note={t.note}
      actions={
        supported && (
          <button type="button" class={here ? "" : "go"} disabled={busy || now.state !== "ready"} onClick={() => void turn()}>
            {here ? t.turnOff : t.turnOn}
          </button>
        )
      }
    >
      {!supported && <p class="note warn">{t.notSupported}</p>}
      {trouble && <TroubleNote trouble={trouble} />}
      {tested && <Outcome tested={tested} />}
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
                  <Row key={device.id} device={device} here={device.id === here} changed={changed} />
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
