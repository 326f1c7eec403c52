// Something only the owner can decide: what is asked, why, and the ways to answer.
import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { asTrouble, type Trouble } from "../api/client";
import { HUB, type Answer, type Question } from "../api/types";
import { announce } from "../state/announce";
import { byId } from "../state/channels";
import { follow, pathToChannel } from "../state/place";
import { answerQuestion } from "../state/waiting";
import { words } from "../words";
import { shortTime } from "../words/format";
import { TierMark } from "./Icon";
import { TroubleNote } from "./TroubleNote";

export function ChannelTag({ channelId }: { channelId: string | null }): JSX.Element | null {
  const channel = channelId ? byId.value.get(channelId) : undefined;
  if (!channel) return null;
  return (
    <span class={`tag ${channel.tier}`}>
      <TierMark tier={channel.tier} />
      <span class="sr">{words().tier(channel.tier)} </span>
      <span class="tag-name">{channel.id === HUB ? words().prime : channel.name}</span>
    </span>
  );
}

export function SourceLink({ channelId, sources, children }: { channelId: string | null; sources: string[]; children: ComponentChildren }): JSX.Element | null {
  const [first] = sources;
  if (!channelId || !first) return null;
  return (
    <a class="source" href={pathToChannel(channelId, first)} onClick={follow}>
      {children}
    </a>
  );
}

function Meta({ question }: { question: Question }): JSX.Element {
  const t = words();
  return (
    <p class="meta">
      <ChannelTag channelId={question.channelId} />
      <time dateTime={question.askedAt}>{t.askedAt(shortTime(question.askedAt))}</time>
      {question.kind === "decision" && <span>{t.necessity(question.necessity.toFixed(2))}</span>}
    </p>
  );
}

type Sender = (answer: Answer) => void;

function DecisionForm({ question, busy, send }: { question: Question; busy: boolean; send: Sender }): JSX.Element {
  const t = words();
  const [choice, setChoice] = useState<number | null>(null);
  const [text, setText] = useState("");
  const answer = choice === null ? text.trim() : (question.suggestions[choice] ?? "");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (answer && !busy) send({ text: answer });
      }}
    >
      {question.suggestions.length > 0 && (
        <fieldset class="options">
          <legend class="sr">{t.suggestions}</legend>
          {question.suggestions.map((suggestion, index) => (
            <label class="option" key={suggestion}>
              <input
                type="radio"
                name={question.id}
                checked={choice === index}
                onChange={() => {
                  setChoice(index);
                  setText("");
                }}
              />
              <kbd aria-hidden="true">{index + 1}</kbd>
              <span>{suggestion}</span>
            </label>
          ))}
        </fieldset>
      )}
      <textarea
        rows={1}
        class="own-words"
        aria-label={t.yourAnswer}
        placeholder={question.suggestions.length ? t.ownWords : t.yourAnswer}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChoice(null);
        }}
      />
      <p class="acts">
        <button type="submit" class="go" disabled={!answer || busy}>
          {busy ? t.answering : t.answer}
        </button>
        <SourceLink channelId={question.channelId} sources={question.sources}>
          {t.seeMessages(question.sources.length)}
        </SourceLink>
      </p>
    </form>
  );
}

/** The call exactly as it would run. */
function callText(call: Record<string, unknown>): string {
  const { argv } = call;
  if (Array.isArray(argv)) return argv.map((part) => (/[\s'"]/.test(String(part)) ? JSON.stringify(part) : String(part))).join(" ");
  return JSON.stringify(call, null, 2);
}

function ApprovalForm({ question, busy, send }: { question: Question; busy: boolean; send: Sender }): JSX.Element {
  const t = words();
  return (
    <>
      {question.call && (
        <pre class="call" tabIndex={0} aria-label={t.approval}>
          <code>{callText(question.call)}</code>
        </pre>
      )}
      <p class="acts">
        <button type="button" class="go" disabled={busy} onClick={() => send({ choice: "yes" })}>
          {t.yesOnce}
        </button>
        <button type="button" disabled={busy} onClick={() => send({ choice: "no" })}>
          {t.no}
        </button>
        <button type="button" class="quiet" disabled={busy} onClick={() => send({ choice: "always" })}>
          {t.always}
        </button>
      </p>
      <p class="why">{t.alwaysMeans}</p>
    </>
  );
}

export function QuestionCard({ question }: { question: Question }): JSX.Element {
  const t = words();
  const card = useRef<HTMLElement>(null);
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const send = async (answer: Answer): Promise<void> => {
    setBusy(true);
    setTrouble(null);
    const hadFocus = card.current?.contains(document.activeElement);
    const next = (card.current?.nextElementSibling ?? card.current?.previousElementSibling) as HTMLElement | null;
    try {
      await answerQuestion(question.id, answer);
      announce(t.answerSent);
      if (hadFocus) next?.focus();
    } catch (cause) {
      setTrouble(asTrouble(cause));
      setBusy(false);
    }
  };
  const Form = question.kind === "approval" ? ApprovalForm : DecisionForm;
  return (
    <article ref={card} class="card ask" data-card tabIndex={-1} aria-labelledby={`q-${question.id}`}>
      <Meta question={question} />
      <h3 id={`q-${question.id}`}>{question.text}</h3>
      {question.context && <p>{question.context}</p>}
      {question.reason && (
        <p class="why">
          <b>{t.why}</b> {question.reason}
        </p>
      )}
      <Form question={question} busy={busy} send={(answer) => void send(answer)} />
      {trouble && <TroubleNote trouble={trouble} />}
    </article>
  );
}
