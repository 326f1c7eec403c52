// How far Prime may act as the owner: in general, per connector, and what approvals have taught it.
import type { JSX } from "preact";
import { gateApi, type Autonomy as Policy, type ReplyClass } from "../../api/gate";
import { TroubleNote } from "../../parts/TroubleNote";
import { Nothing, Section, Shown } from "../../parts/View";
import { valueOr } from "../../state/loaded";
import { loadStatus } from "../../state/status";
import { useAct } from "../../state/useAct";
import { useRead, type Reading } from "../../state/useRead";
import { words } from "../../words/all";
import { inWords } from "../../words/said";
import { since } from "../../words/format";

function Modes({ policy, change, busy }: { policy: Policy; change: (patch: Partial<Policy>) => void; busy: boolean }): JSX.Element {
  const t = words().acting;
  return (
    <fieldset>
      <legend class="sr">{t.mode}</legend>
      <div class="choices">
        {policy.modes.map((mode) => (
          <label class="choice" key={mode}>
            <input type="radio" name="autonomy" disabled={busy} checked={policy.mode === mode} onChange={() => change({ mode })} />
            <span>
              <b>{t.modeName(mode)}</b>
              <small>{t.modeMeaning(mode)}</small>
            </span>
          </label>
        ))}
      </div>
      <p class="soft">{t.comesFrom(policy.sources.mode)}</p>
    </fieldset>
  );
}

function PerConnector({ policy, change, busy }: { policy: Policy; change: (patch: Partial<Policy>) => void; busy: boolean }): JSX.Element | null {
  const t = words().acting;
  const { now } = useRead(() => gateApi.connectors(), "titles");
  const titles = new Map(valueOr(now, { items: [], nextCursor: null }).items.map(({ name, title }) => [name, inWords(title)]));
  if (policy.effective.length === 0) return null;
  return (
    <Section title={t.perConnector} note={t.perConnectorNote}>
      <ul class="lines">
        {policy.effective.map(({ connector, mode, source }) => (
          <li key={connector} class="line still">
            <span class="line-main">
              <b>{titles.get(connector) ?? connector}</b>
              <span>{policy.perConnector[connector] ? t.ownMode : source === "default" || source === "code" || source === "live" ? t.modeName(mode) : t.comesFrom(source)}</span>
            </span>
            <span class="line-side mode-of">
              <select
                aria-label={t.modeOf(titles.get(connector) ?? connector)}
                disabled={busy}
                value={policy.perConnector[connector] ?? ""}
                onChange={(event) => change({ perConnector: { [connector]: event.currentTarget.value || null } as Record<string, string> })}
              >
                <option value="">{t.asGeneral}</option>
                {policy.modes.map((each) => (
                  <option key={each} value={each}>
                    {t.modeName(each)}
                  </option>
                ))}
              </select>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function ClassRow({ learned, changed }: { learned: ReplyClass; changed: () => void }): JSX.Element {
  const t = words().acting;
  const { busy, trouble, act } = useAct();
  return (
    <li class="line still">
      <span class="line-main">
        <b>{learned.text}</b>
        <span>
          {learned.trigger && t.inAnswerTo(learned.trigger)} {t.taught(learned.connector, since(learned.taughtAt))} {t.sentAlone(learned.hits)}
        </span>
        {trouble && <TroubleNote trouble={trouble} />}
      </span>
      <span class="line-side">
        {learned.active ? (
          <button type="button" class="small" disabled={busy} onClick={() => void act(() => gateApi.revokeClass(learned.id)).then((ok) => ok && changed())}>
            {t.unlearn}
          </button>
        ) : (
          <small>{t.unlearned}</small>
        )}
      </span>
    </li>
  );
}

function Classes(): JSX.Element {
  const t = words().acting;
  const { now, again } = useRead(() => gateApi.classes(), "classes");
  return (
    <Section title={t.learned} note={t.learnedNote}>
      <Shown now={now} again={() => void again()}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing icon="check" title={t.nothingLearned}>
              <p>{t.nothingLearnedHint}</p>
            </Nothing>
          ) : (
            <ul class="lines">
              {items.map((learned) => (
                <ClassRow key={learned.id} learned={learned} changed={() => void again()} />
              ))}
            </ul>
          )
        }
      </Shown>
    </Section>
  );
}

function Form({ policy, reading }: { policy: Policy; reading: Reading<Policy> }): JSX.Element {
  const t = words().acting;
  const { busy, trouble, act } = useAct();
  // Shown at once; what the server says takes its place, also when it refuses.
  const change = (patch: Partial<Policy>): void => {
    const { perConnector, ...rest } = patch;
    reading.set({ ...policy, ...rest });
    void act(async () => reading.set(await gateApi.setAutonomy(perConnector ? { perConnector } : rest))).then((done) => {
      if (!done) reading.set(policy);
      void loadStatus();
    });
  };
  return (
    <>
      <Section title={t.title} note={t.note}>
        <Modes policy={policy} change={change} busy={busy} />
        <label class="check">
          <input type="checkbox" disabled={busy} checked={policy.allowColdContact} onChange={(event) => change({ allowColdContact: event.currentTarget.checked })} />
          {t.cold}
        </label>
        {trouble && <TroubleNote trouble={trouble} />}
      </Section>
      <PerConnector policy={policy} change={change} busy={busy} />
    </>
  );
}

export function Autonomy(): JSX.Element {
  const reading = useRead(() => gateApi.autonomy(), "autonomy");
  return (
    <>
      <Shown now={reading.now} again={() => void reading.again()}>
        {(policy) => <Form policy={policy} reading={reading} />}
      </Shown>
      <Classes />
    </>
  );
}
