// The open channel itself: its name, and who is in it.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api } from "../api/client";
import { OWNER, PRIME, type Channel } from "../api/types";
import { Choice, Field } from "../parts/Field";
import { Icon } from "../parts/Icon";
import { closeDialog, Modal } from "../parts/Modal";
import { NewAgent } from "./Members";
import { TroubleNote } from "../parts/TroubleNote";
import { actors, nameOf } from "../state/actors";
import { announce } from "../state/announce";
import { byId, changeChannel } from "../state/channels";
import { openChannelId } from "../state/place";
import { useAct } from "../state/useAct";
import { words } from "../words/all";

function Name({ channel }: { channel: Channel }): JSX.Element {
  const t = words().care;
  const [name, setName] = useState(channel.name);
  const { busy, trouble, act } = useAct();
  const rename = (event: Event): void => {
    event.preventDefault();
    void act(async () => {
      changeChannel(channel.id, { name: (await api.renameChannel(channel.id, name.trim())).name });
      announce(t.renamed);
    });
  };
  return (
    <form class="new-agent" noValidate onSubmit={rename}>
      <Field label={words().channelName} value={name} onValue={(value) => setName(value.slice(0, 120))} />
      <button type="submit" disabled={busy || !name.trim() || name.trim() === channel.name}>
        {t.rename}
      </button>
      {trouble && <TroubleNote trouble={trouble} />}
    </form>
  );
}

function Members({ channel }: { channel: Channel }): JSX.Element {
  const t = words().care;
  const { busy, trouble, act } = useAct();
  const set = (work: Promise<{ items: string[] }>): void => void act(async () => changeChannel(channel.id, { members: (await work).items }));
  const inside = channel.members.filter((id) => id !== OWNER && id !== PRIME);
  const outside = [...actors.value.values()].filter(({ id }) => id !== OWNER && id !== PRIME && !channel.members.includes(id));
  return (
    <fieldset>
      <legend>{words().channelMembers}</legend>
      <div class="form">
        {inside.length === 0 ? (
          <p class="soft">{t.nobodyElse}</p>
        ) : (
          <ul class="lines">
            {inside.map((id) => (
              <li key={id} class="line still">
                <span class="line-main">
                  <b>{nameOf(id)}</b>
                </span>
                <span class="line-side">
                  <button type="button" class="quiet icon-only" disabled={busy} aria-label={t.letGo(nameOf(id))} title={t.letGo(nameOf(id))} onClick={() => set(api.leave(channel.id, id))}>
                    <Icon name="close" size={16} />
                  </button>
                </span>
              </li>
            ))}
          </ul>
        )}
        {outside.length > 0 && (
          <Choice
            label={t.add}
            value=""
            onValue={(id) => id && set(api.join(channel.id, id))}
            options={[{ value: "", name: t.choose }, ...outside.map(({ id, name }) => ({ value: id, name }))]}
          />
        )}
        <NewAgent added={(id) => set(api.join(channel.id, id))} />
        {trouble && <TroubleNote trouble={trouble} />}
      </div>
    </fieldset>
  );
}

export default function ChannelDetails(): JSX.Element {
  const channel = byId.value.get(openChannelId.value);
  return (
    <Modal title={words().care.details}>
      <div class="form">
        {channel && <Name key={channel.id} channel={channel} />}
        {channel && <Members channel={channel} />}
        <div class="acts end">
          <button type="button" onClick={closeDialog}>
            {words().close}
          </button>
        </div>
      </div>
    </Modal>
  );
}
