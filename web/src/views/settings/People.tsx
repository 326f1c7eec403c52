// Teammates with a link to some channels, and nothing else.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { accountApi, type Guest } from "../../api/account";
import { HUB } from "../../api/types";
import { CopyButton } from "../../parts/CopyButton";
import { Field } from "../../parts/Field";
import { TierMark } from "../../parts/Icon";
import { ChannelTag } from "../../parts/Tags";
import { TroubleNote } from "../../parts/TroubleNote";
import { Nothing, Section, Shown } from "../../parts/View";
import { inOrder } from "../../state/channels";
import { useAct } from "../../state/useAct";
import { useRead } from "../../state/useRead";
import { words } from "../../words";
import { since } from "../../words/format";

function Link({ url, mailed }: { url: string; mailed: boolean }): JSX.Element {
  const t = words().people;
  return (
    <div class="note column" role="status">
      <p>{mailed ? t.mailed : t.passOn}</p>
      <p class="mono break">{url}</p>
      <CopyButton text={url} />
    </div>
  );
}

function Invite({ invited }: { invited: () => void }): JSX.Element {
  const t = words().people;
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [link, setLink] = useState<{ url: string; mailed: boolean } | null>(null);
  const { busy, trouble, act } = useAct();
  const channels = inOrder.value.filter((channel) => channel.id !== HUB);
  const submit = (event: Event): void => {
    event.preventDefault();
    void act(async () => {
      setLink(await accountApi.invite(name.trim(), [...chosen], email.trim()));
      setName("");
      setEmail("");
      setChosen([]);
      invited();
    });
  };
  if (channels.length === 0) return <p class="soft">{t.noChannels}</p>;
  return (
    <form class="form" noValidate onSubmit={submit}>
      <div class="filters even">
        <Field label={t.name} value={name} onValue={setName} />
        <Field label={t.email} type="email" hint={t.emailHint} value={email} onValue={setEmail} />
      </div>
      <fieldset>
        <legend>{t.which}</legend>
        <div class="member-list">
          {channels.map((channel) => (
            <label class="check" key={channel.id}>
              <input type="checkbox" checked={chosen.includes(channel.id)} onChange={(event) => setChosen(event.currentTarget.checked ? [...chosen, channel.id] : chosen.filter((id) => id !== channel.id))} />
              <span class="with-mark">
                <TierMark tier={channel.tier} /> {channel.name}
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      {trouble && <TroubleNote trouble={trouble} />}
      <p class="acts">
        <button type="submit" class="go" disabled={busy || !name.trim() || chosen.length === 0}>
          {t.invite}
        </button>
      </p>
      {link && <Link {...link} />}
    </form>
  );
}

function Row({ guest, changed }: { guest: Guest; changed: () => void }): JSX.Element {
  const t = words().people;
  const [link, setLink] = useState<{ url: string; mailed: boolean } | null>(null);
  const { busy, trouble, act } = useAct();
  return (
    <li class="panel">
      <div class="panel-head">
        <h4>{guest.name}</h4>
        <span class={`badge ${guest.acceptedAt ? "safe" : "plain"}`}>{guest.acceptedAt ? t.cameIn(since(guest.acceptedAt)) : guest.ghost ? t.ghost : t.notYet}</span>
      </div>
      {guest.email && <p class="soft">{guest.email}</p>}
      <p class="meta">
        {guest.channelIds.map((id) => (
          <ChannelTag key={id} channelId={id} />
        ))}
      </p>
      {link && <Link {...link} />}
      {trouble && <TroubleNote trouble={trouble} />}
      <p class="acts">
        <button type="button" class="small" disabled={busy} onClick={() => void act(async () => setLink(await accountApi.renew(guest.id)))}>
          {t.newLink}
        </button>
        <button type="button" class="quiet small" disabled={busy} onClick={() => void act(() => accountApi.removeGuest(guest.id)).then((ok) => ok && changed())}>
          {t.remove}
        </button>
      </p>
    </li>
  );
}

export function People(): JSX.Element {
  const t = words().people;
  const { now, again } = useRead(() => accountApi.guests(), "guests");
  return (
    <>
      <Section title={t.title} note={t.note}>
        <Invite invited={() => void again()} />
      </Section>
      <Section title={t.invited}>
        <Shown now={now} again={() => void again()}>
          {({ items }) =>
            items.length === 0 ? (
              <Nothing icon="people" title={t.nobody}>
                <p>{t.nobodyHint}</p>
              </Nothing>
            ) : (
              <ul class="panels two">
                {items.map((guest) => (
                  <Row key={guest.id} guest={guest} changed={() => void again()} />
                ))}
              </ul>
            )
          }
        </Shown>
      </Section>
    </>
  );
}
