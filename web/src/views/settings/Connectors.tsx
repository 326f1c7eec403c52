// Connectors that act as the owner; each form is drawn from what the connector declares.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { gateApi, type Connector, type ConnectorField, type Draft } from "../../api/gate";
import { Choice, Field } from "../../parts/Field";
import { ChannelTag } from "../../parts/Tags";
import { TroubleNote } from "../../parts/TroubleNote";
import { Nothing, Section, Shown } from "../../parts/View";
import { useAct } from "../../state/useAct";
import { useRead } from "../../state/useRead";
import { words } from "../../words/all";
import { fullTime, since } from "../../words/format";
import { inWords } from "../../words/said";
import { Paste } from "./Paste";

type Values = Record<string, string>;

function Drawn({ field, value, onValue }: { field: ConnectorField; value: string; onValue: (value: string) => void }): JSX.Element {
  const t = words().connectors;
  const label = field.required ? `${inWords(field.label)} *` : inWords(field.label);
  if (field.kind === "choice") {
    return <Choice label={label} hint={inWords(field.help)} value={value} onValue={onValue} options={[{ value: "", name: t.leftOut }, ...field.choices.map((each) => ({ value: each, name: each }))]} />;
  }
  const secret = field.secret || field.kind === "password";
  return (
    <Field
      label={label}
      hint={inWords(field.help)}
      type={secret ? "password" : field.kind === "number" ? "number" : "text"}
      placeholder={secret && field.isSet ? t.isSet(field.since ? since(field.since) : "") : undefined}
      value={value}
      onValue={onValue}
    />
  );
}

function Fields({ fields, values, change }: { fields: readonly ConnectorField[]; values: Values; change: (values: Values) => void }): JSX.Element {
  return (
    <div class="form two">
      {fields.map((field) => (
        <Drawn key={field.name} field={field} value={values[field.name] ?? ""} onValue={(value) => change({ ...values, [field.name]: value })} />
      ))}
    </div>
  );
}

const shownValues = (connector: Connector): Values => Object.fromEntries(connector.settings.filter((field) => !field.secret).map((field) => [field.name, field.value ?? ""]));

/** What was changed; an emptied field is taken back, an untouched secret stays. */
function changes(connector: Connector, values: Values): Record<string, string | null> {
  const before = shownValues(connector);
  const changed = connector.settings.filter(({ name }) => (values[name] ?? "") !== (before[name] ?? ""));
  return Object.fromEntries(changed.map(({ name }) => [name, values[name] || null]));
}

function Asks({ connector, done }: { connector: Connector; done: (connector: Connector) => void }): JSX.Element {
  const t = words().connectors;
  const [values, setValues] = useState<Values>({});
  const { busy, trouble, act } = useAct();
  const answer = (event: Event): void => {
    event.preventDefault();
    void act(async () => done(await gateApi.answer(connector.name, values)));
  };
  return (
    <form class="rule-maker" noValidate onSubmit={answer}>
      <p>
        <b>{t.asks}</b> {inWords(connector.status.detail)}
      </p>
      <Fields fields={connector.status.asks} values={values} change={setValues} />
      {trouble && <TroubleNote trouble={trouble} />}
      <p class="acts">
        <button type="submit" class="go" disabled={busy}>
          {t.goOn}
        </button>
      </p>
    </form>
  );
}

/** How it writes as the owner, read when somebody wants to know. */
function Style({ name }: { name: string }): JSX.Element {
  const t = words().care;
  const { now, again } = useRead(() => gateApi.style(name), name);
  return (
    <Shown now={now} again={() => void again()}>
      {({ messages, text }) => (
        <>
          <p class="soft">{messages > 0 ? t.styleFrom(messages) : t.noStyle}</p>
          {messages > 0 && (
            <ul class="style-sheet">
              {text.split("\n").map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          )}
        </>
      )}
    </Shown>
  );
}

function Card({ connector, set }: { connector: Connector; set: (connector: Connector) => void }): JSX.Element {
  const t = words().connectors;
  const [values, setValues] = useState<Values>(() => shownValues(connector));
  const [open, setOpen] = useState(false);
  const [asked, setAsked] = useState(false);
  const { busy, trouble, act } = useAct();
  const { state, detail, facts } = connector.status;
  const on = state === "connected" || state === "connecting" || state === "asking";
  const save = async (): Promise<Connector> => {
    const changed = changes(connector, values);
    return Object.keys(changed).length ? gateApi.configure(connector.name, changed) : connector;
  };
  const connect = (event: Event): void => {
    event.preventDefault();
    void act(async () => {
      set(await save());
      set(await gateApi.connect(connector.name));
    });
  };
  return (
    <li class="panel">
      <div class="panel-head">
        <h4>{inWords(connector.title)}</h4>
        <span class={`badge ${state === "connected" ? "safe" : state === "failed" ? "bad" : "plain"}`}>{t.state[state]}</span>
        <span class="badge plain">{words().acting.modeName(connector.mode)}</span>
      </div>
      <p class="soft">{inWords(connector.description)}</p>
      {detail && state !== "asking" && <p class={state === "failed" ? "would refused" : "soft"}>{inWords(detail)}</p>}
      {Object.keys(facts).length > 0 && (
        <dl class="facts slim">
          {Object.entries(facts).map(([name, value]) => (
            <div key={name}>
              <dt>{t.fact(name)}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {connector.kind === "profile" && on && (
        <details class="note-fold" onToggle={(event) => event.currentTarget.open && setAsked(true)}>
          <summary>{words().care.style}</summary>
          {asked && <Style name={connector.name} />}
        </details>
      )}
      {connector.name === "x" && state === "connected" && (
        <details class="note-fold" open={facts["mode"] !== "api"}>
          <summary>{t.pasteFold}</summary>
          <Paste />
        </details>
      )}
      {state === "asking" && <Asks connector={connector} done={set} />}
      {open && (
        <form class="form" noValidate onSubmit={connect}>
          <Fields fields={connector.settings} values={values} change={setValues} />
          <p class="acts">
            <button type="submit" class="go" disabled={busy}>
              {busy ? t.connecting : t.connect}
            </button>
            <button type="button" disabled={busy} onClick={() => void act(async () => set(await save()))}>
              {words().save}
            </button>
          </p>
        </form>
      )}
      {trouble && <TroubleNote trouble={trouble} />}
      <p class="acts">
        <button type="button" class="small" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? t.fold : t.setUp}
        </button>
        {on && (
          <button type="button" class="quiet small" disabled={busy} onClick={() => void act(async () => set(await gateApi.disconnect(connector.name, false)))}>
            {t.disconnect}
          </button>
        )}
        {(on || connector.enabled || connector.settings.some((field) => field.secret && field.isSet)) && (
          <button type="button" class="quiet small" disabled={busy} onClick={() => void act(async () => set(await gateApi.disconnect(connector.name, true)))}>
            {t.forget}
          </button>
        )}
      </p>
    </li>
  );
}

function SentRow({ draft, changed }: { draft: Draft; changed: () => void }): JSX.Element {
  const { busy, trouble, act } = useAct();
  const takeBack = async (): Promise<void> => {
    if (await act(() => gateApi.undo(draft.id))) changed();
  };
  const isTakenBack = draft.result["undone"] === true;
  const canBeTakenBack = draft.kind === "publish" && !isTakenBack;
  return (
    <li class="line still">
      <span class="line-main">
        <b>{draft.title || draft.text}</b>
        {draft.title && <span>{draft.text}</span>}
        <span class="meta">
          <ChannelTag channelId={draft.channelId} />
          <span>{draft.connector}</span>
          {draft.sentAt && <time title={fullTime(draft.sentAt)}>{since(draft.sentAt)}</time>}
          {isTakenBack && <span class="badge plain">{words().publish.isUndone}</span>}
        </span>
      </span>
      {(draft.url || canBeTakenBack) && (
        <span class="line-side">
          {draft.url && (
            <a href={draft.url} target="_blank" rel="noopener noreferrer">
              {words().connectors.open}
            </a>
          )}
          {canBeTakenBack && (
            <button type="button" class="quiet" disabled={busy} onClick={() => void takeBack()}>
              {words().publish.undo}
            </button>
          )}
        </span>
      )}
      {trouble && <TroubleNote trouble={trouble} />}
    </li>
  );
}

function Sent(): JSX.Element {
  const t = words().connectors;
  const { now, again } = useRead(() => gateApi.sent(), "sent");
  return (
    <Section title={t.sent} note={t.sentNote}>
      <Shown now={now} again={() => void again()}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing icon="send" title={t.nothingSent}>
              <p>{t.nothingSentHint}</p>
            </Nothing>
          ) : (
            <ul class="lines">
              {items.map((draft) => (
                <SentRow key={draft.id} draft={draft} changed={() => void again()} />
              ))}
            </ul>
          )
        }
      </Shown>
    </Section>
  );
}

export function Connectors(): JSX.Element {
  const t = words().connectors;
  const { now, again, set } = useRead(() => gateApi.connectors(), "connectors");
  return (
    <>
      <Shown now={now} again={() => void again()}>
        {(page) => {
          const change = (changed: Connector): void => set({ ...page, items: page.items.map((each) => (each.name === changed.name ? changed : each)) });
          return (["profile", "publish"] as const).map((kind) => (
            <Section key={kind} title={t.kind[kind]} note={t.kindNote[kind]}>
              <ul class="panels">
                {page.items
                  .filter((connector) => connector.kind === kind)
                  .map((connector) => (
                    <Card key={connector.name} connector={connector} set={change} />
                  ))}
              </ul>
            </Section>
          ));
        }}
      </Shown>
      <Sent />
    </>
  );
}
