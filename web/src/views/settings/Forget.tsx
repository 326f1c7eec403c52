// Forgetting somebody: everything that they said or sent is erased, after a look at how much that is.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { brainApi, type Hit } from "../../api/brain";
import { api } from "../../api/client";
import { instanceApi } from "../../api/instance";
import { OWNER, PRIME, type Message, type Page } from "../../api/types";
import { Choice } from "../../parts/Field";
import { TroubleNote } from "../../parts/TroubleNote";
import { Section } from "../../parts/View";
import { actors, nameOf } from "../../state/actors";
import { inOrder } from "../../state/channels";
import { blank } from "../../state/conversation";
import { useAct } from "../../state/useAct";
import { words } from "../../words/all";

/** How many the server takes at once, and how far back is looked. */
const AT_ONCE = 500;
const PAGES = 400;

async function everyPart<T>(read: (cursor: string | null) => Promise<Page<T>>, take: (item: T) => void): Promise<void> {
  let cursor: string | null = null;
  for (let pages = 0; pages < PAGES; pages++) {
    const page: Page<T> = await read(cursor);
    page.items.forEach(take);
    cursor = page.nextCursor;
    if (!cursor) return;
  }
}

/** Everything of theirs: what recall finds, also in channels that are closed, and all that stands in open ones. */
async function messagesOf(actorId: string): Promise<string[]> {
  const found = new Set<string>();
  const keep = (actor: string, id: string): void => void (actor === actorId && found.add(id));
  await everyPart<Hit>((cursor) => brainApi.recall(`from:"${nameOf(actorId)}"`, cursor), (hit) => keep(hit.actorId, hit.messageId));
  for (const { id } of inOrder.value) {
    await everyPart<Message>((cursor) => api.messages(id, AT_ONCE, cursor), (message) => message.kind !== "erased" && keep(message.actorId, message.id));
  }
  return [...found];
}

function Confirm({ actorId, ids, done }: { actorId: string; ids: readonly string[]; done: (said: string, backups: readonly string[]) => void }): JSX.Element {
  const t = words().care;
  const [sure, setSure] = useState(false);
  const { busy, trouble, act } = useAct();
  const erase = async (): Promise<void> => {
    const backups = new Set<string>();
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const gone = await instanceApi.erase(ids.slice(at, at + AT_ONCE));
      blank(gone.messageIds);
      gone.backups.forEach((name) => backups.add(name));
    }
    done(t.erased(ids.length, backups.size), [...backups]);
  };
  return (
    <div class="form">
      <p class="note warn" role="status">
        {t.foundOf(ids.length, nameOf(actorId))}
      </p>
      {ids.length > 0 && (
        <>
          <label class="check">
            <input type="checkbox" checked={sure} onChange={(event) => setSure(event.currentTarget.checked)} />
            {t.sure(nameOf(actorId))}
          </label>
          <p class="acts">
            <button type="button" class="danger" disabled={!sure || busy} onClick={() => void act(erase)}>
              {t.forgetDo(ids.length)}
            </button>
          </p>
        </>
      )}
      {trouble && <TroubleNote trouble={trouble} />}
    </div>
  );
}

export function Forget(): JSX.Element | null {
  const t = words().care;
  const [actorId, setActorId] = useState("");
  const [ids, setIds] = useState<readonly string[] | null>(null);
  const [said, setSaid] = useState<{ text: string; backups: readonly string[] } | null>(null);
  const { busy, trouble, act } = useAct();
  const others = [...actors.value.values()].filter(({ id }) => id !== OWNER && id !== PRIME);
  const choose = (id: string): void => {
    setActorId(id);
    setIds(null);
    setSaid(null);
    if (id) void act(async () => setIds(await messagesOf(id)));
  };
  if (others.length === 0) return null;
  return (
    <Section title={t.forgetTitle} note={t.forgetNote}>
      <div class="filters even">
        <Choice label={t.who} value={actorId} onValue={choose} options={[{ value: "", name: t.choose }, ...others.map(({ id, name }) => ({ value: id, name }))]} />
      </div>
      {busy && (
        <p class="soft" role="status">
          {t.looking}
        </p>
      )}
      {trouble && <TroubleNote trouble={trouble} retry={() => choose(actorId)} />}
      {ids && !busy && <Confirm key={actorId} actorId={actorId} ids={ids} done={(text, backups) => (setSaid({ text, backups }), setIds(null))} />}
      {said && (
        <div class="note column" role="status">
          <p>{said.text}</p>
          {said.backups.length > 0 && (
            <p>
              {t.stillIn} <span class="mono break">{said.backups.join(", ")}</span>
            </p>
          )}
        </div>
      )}
    </Section>
  );
}
