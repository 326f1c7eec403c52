// What Prime has learned from the owner's answers: seen, reworded, revoked, brought back.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { hubApi, type Rule } from "../api/hub";
import { LongField } from "../parts/Field";
import { ChannelTag, SourceLink } from "../parts/Tags";
import { TroubleNote } from "../parts/TroubleNote";
import { Nothing, Section, Shown, View } from "../parts/View";
import { status } from "../state/status";
import { useAct } from "../state/useAct";
import { useRead } from "../state/useRead";
import { words } from "../words/all";
import { since } from "../words/format";

function Edit({ rule, done, change }: { rule: Rule; done: () => void; change: (text: string) => Promise<boolean> }): JSX.Element {
  const [text, setText] = useState(rule.text);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (text.trim() && (await change(text.trim()))) done();
  };
  return (
    <form class="form" onSubmit={(event) => void save(event)}>
      <LongField label={words().ruleText} rows={2} value={text} onValue={setText} />
      <p class="acts">
        <button type="submit" class="go" disabled={!text.trim()}>
          {words().save}
        </button>
        <button type="button" class="quiet" onClick={done}>
          {words().cancel}
        </button>
      </p>
    </form>
  );
}

function Card({ rule, changed }: { rule: Rule; changed: () => void }): JSX.Element {
  const t = words().rules;
  const [editing, setEditing] = useState(false);
  const { busy, trouble, act } = useAct();
  const change = async (work: () => Promise<unknown>): Promise<boolean> => {
    const done = await act(work);
    if (done) changed();
    return done;
  };
  return (
    <li class={`panel ${rule.active ? "" : "revoked"}`} id={rule.id}>
      {editing ? <Edit rule={rule} done={() => setEditing(false)} change={(text) => change(() => hubApi.changeRule(rule.id, { text }))} /> : <p class="rule-text">{rule.text}</p>}
      <p class="meta">
        <ChannelTag channelId={rule.channelId} />
        <b class="hits">{t.hits(rule.hits)}</b>
        {rule.lastHitAt && <span>{t.lastHit(since(rule.lastHitAt))}</span>}
        <span>{t.learned(since(rule.createdAt))}</span>
      </p>
      {rule.question && <p class="soft">{t.from(rule.question)}</p>}
      {trouble && <TroubleNote trouble={trouble} />}
      {!editing && (
        <p class="acts">
          <button type="button" class="small" onClick={() => setEditing(true)}>
            {t.reword}
          </button>
          {rule.active ? (
            <button type="button" class="quiet small" disabled={busy} onClick={() => void change(() => hubApi.revokeRule(rule.id))}>
              {t.revoke}
            </button>
          ) : (
            <button type="button" class="quiet small" disabled={busy} onClick={() => void change(() => hubApi.changeRule(rule.id, { active: true }))}>
              {t.bringBack}
            </button>
          )}
          <SourceLink channelId={rule.channelId} sources={rule.sources}>
            {words().seeSource}
          </SourceLink>
        </p>
      )}
    </li>
  );
}

function List({ rules, changed }: { rules: readonly Rule[]; changed: () => void }): JSX.Element {
  return (
    <ul class="panels">
      {rules.map((rule) => (
        <Card key={rule.id} rule={rule} changed={changed} />
      ))}
    </ul>
  );
}

export default function Rules(): JSX.Element {
  const t = words().rules;
  const known = status.value.state === "ready" ? status.value.value.counters.rules : 0;
  const { now, again } = useRead(() => hubApi.rules(), "rules");
  useEffect(() => void again(), [known]);
  useEffect(() => {
    if (now.state === "ready" && location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView({ block: "center" });
  }, [now.state]);
  return (
    <View title={t.title} lead={t.lead}>
      <Shown now={now} again={() => void again()}>
        {({ items }) => {
          const active = items.filter((rule) => rule.active).reverse();
          const revoked = items.filter((rule) => !rule.active).reverse();
          return (
            <>
              {active.length > 0 ? (
                <List rules={active} changed={() => void again()} />
              ) : (
                <Nothing icon="rule" title={t.nothing}>
                  <p>{t.nothingHint}</p>
                </Nothing>
              )}
              {revoked.length > 0 && (
                <Section title={t.revoked} note={t.revokedNote}>
                  <List rules={revoked} changed={() => void again()} />
                </Section>
              )}
            </>
          );
        }}
      </Shown>
    </View>
  );
}
