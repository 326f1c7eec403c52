// Teammates with a link to some channels, and nothing else.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { accountApi, type Guest } from "../../api/account";
import { HUB, OWNER } from "../../api/types";
import { ChannelChecks } from "../../parts/ChannelChecks";
import { CopyButton } from "../../parts/CopyButton";
import { Choice, Field } from "../../parts/Field";
import { ChannelTag } from "../../parts/Tags";
import { TroubleNote } from "../../parts/TroubleNote";
import { Nothing, Section, Shown } from "../../parts/View";
import { actors } from "../../state/actors";
import { inOrder } from "../../state/channels";
import { useAct } from "../../state/useAct";
import { useRead } from "../../state/useRead";
import { words } from "../../words/all";
import { since } from "../../words/format";
import { Forget } from "./Forget";

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

/** Contacts from elsewhere, who were there before anybody came. */
const contacts = (): { id: string; name: string }[] => [...actors.value.values()].filter(({ id, kind }) => kind === "human" && id !== OWNER);

function Invite({ invited }: { invited: () => void }): JSX.Element {
  const t = words().people;
  const [contact, setContact] = useState("");
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [link, setLink] = useState<{ url: string; mailed: boolean } | null>(null);
  const { busy, trouble, act } = useAct();
  const channels = inOrder.value.filter((channel) => channel.id !== HUB);
  const submit = (event: Event): void => {
    event.preventDefault();
    void act(async () => {
      if (contact) await accountApi.letClaim(contact, email.trim(), [...chosen]);
      else setLink(await accountApi.invite(name.trim(), [...chosen], email.trim()));
      setName("");
      setContact("");
      setEmail("");
      setChosen([]);
      invited();
    });
  };
  if (channels.length === 0) return <p class="soft">{t.noChannels}</p>;
  return (
    <form class="form" noValidate onSubmit={submit}>
      {contacts().length > 0 && (
        <div class="filters even">
          <Choice label={t.who} hint={contact ? t.contactNote : undefined} value={contact} onValue={setContact} options={[{ value: "", name: t.somebodyNew }, ...contacts().map(({ id, name: known }) => ({ value: id, name: known }))]} />
        </div>
      )}
      <div class="filters even hinted">
        {!contact && <Field label={t.name} value={name} onValue={setName} />}
        <Field label={t.email} type="email" hint={contact ? t.contactEmail : t.emailHint} value={email} onValue={setEmail} />
      </div>
      <ChannelChecks legend={t.which} chosen={chosen} choose={setChosen} />
      {trouble && <TroubleNote trouble={trouble} />}
      <p class="acts">
        <button type="submit" class="go" disabled={busy || chosen.length === 0 || !(contact ? email.trim() : name.trim())}>
          {contact ? t.letClaim : t.invite}
        </button>
      </p>
      {link && <Link {...link} />}
    </form>
  );
}

function Channels({ guest, done }: { guest: Guest; done: () => void }): JSX.Element {
  const t = words().people;
  const [chosen, setChosen] = useState<readonly string[]>(guest.channelIds);
  const { busy, trouble, act } = useAct();
  return (
    <div class="rule-maker">
      <ChannelChecks legend={t.which} chosen={chosen} choose={setChosen} />
      {trouble && <TroubleNote trouble={trouble} />}
      <p class="acts">
        <button type="button" class="small go" disabled={busy || chosen.length === 0} onClick={() => void act(() => accountApi.grant(guest.id, [...chosen])).then((ok) => ok && done())}>
          {words().save}
        </button>
      </p>
    </div>
  );
}

function Row({ guest, changed }: { guest: Guest; changed: () => void }): JSX.Element {
  const t = words().people;
  const [link, setLink] = useState<{ url: string; mailed: boolean } | null>(null);
  const [changing, setChanging] = useState(false);
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
      {changing && <Channels guest={guest} done={() => (setChanging(false), changed())} />}
      {link && <Link {...link} />}
      {trouble && <TroubleNote trouble={trouble} />}
      <p class="acts">
        <button type="button" class="small" aria-expanded={changing} onClick={() => setChanging(!changing)}>
          {t.changeChannels}
        </button>
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
      <Forget />
    </>
  );
}
