// One message, drawn by what kind it is.
import type { ComponentChildren, JSX } from "preact";
import { HUB, PRIME, type Message } from "../api/types";
import { Markdown } from "../markdown/Markdown";
import { DRAFT_MARK } from "../markdown/oneLine";
import { nameOf } from "../state/actors";
import { selfId } from "../state/me";
import { words } from "../words";
import { clock, dayName, fullTime, sameDay } from "../words/format";
import { inWords } from "../words/said";
import { api, asTrouble } from "../api/client";
import { notify } from "../state/announce";
import { filesOf } from "../state/files";
import { turnsIn } from "../state/turns";
import { useAct } from "../state/useAct";
import { Attachments } from "./Attachments";
import { heldBack, type Held } from "./heldBack";
import { Icon, type IconName } from "./Icon";
import { MessageActs } from "./MessageActs";
import { PlanSheet } from "./PlanSheet";
import { ToolCall } from "./ToolCall";

const TOGETHER_MS = 5 * 60_000;
const SPOKEN = new Set(["text", "note", "edit"]);
const FOLDED = new Set(["thought", "tool_call", "tool_result"]);

export function Face({ actorId }: { actorId: string }): JSX.Element {
  const kind = actorId === selfId.value ? "owner" : actorId === PRIME ? "prime" : "";
  const initial = [...nameOf(actorId).trim()][0] ?? "?";
  return (
    <span class={`face ${kind}`} aria-hidden="true">
      {initial.toLocaleUpperCase()}
    </span>
  );
}

export function Byline({ actorId, ts, note }: { actorId: string; ts: string; note?: ComponentChildren }): JSX.Element {
  return (
    <div class="byline">
      <b>{nameOf(actorId)}</b>
      <time dateTime={ts} title={fullTime(ts)}>
        {clock(ts)}
      </time>
      {note}
    </div>
  );
}

function Thought({ message }: { message: Message }): JSX.Element {
  return (
    <details class="folded">
      <summary>
        <Icon name="chat" size={16} />
        <span>{words().thought}</span>
        <span class="folded-line">{message.text.split("\n", 1)[0]}</span>
      </summary>
      <Markdown text={message.text} />
    </details>
  );
}

function Sheet({ label, note, text }: { label: string; note?: string; text: string }): JSX.Element {
  return (
    <div class="sheet">
      <p class="sheet-label">
        <b>{label}</b> {note}
      </p>
      <Markdown text={text} />
    </div>
  );
}

/** What Prime read in a file, folded after its first line. */
function Note({ message }: { message: Message }): JSX.Element {
  const t = words();
  return (
    <details class="folded note-of-file">
      <summary>
        <Icon name="file" size={16} />
        <span>{t.noteOfFile}</span>
        <span class="folded-line plain">{message.text.split("\n", 1)[0]}</span>
      </summary>
      <Markdown text={message.text} />
    </details>
  );
}

function Content({ message, result }: { message: Message; result: Message | undefined }): JSX.Element {
  const t = words();
  if (message.kind === "brief") return <Sheet label={t.brief} note={t.briefNote} text={message.text} />;
  if (message.kind === "plan") return <PlanSheet message={message} />;
  if (message.kind === "thought") return <Thought message={message} />;
  if (FOLDED.has(message.kind)) return <ToolCall message={message} result={result} />;
  // The file itself stands with the message that brought it.
  if (message.kind === "note") return <Note message={message} />;
  return (
    <>
      <Markdown text={isDraft(message) ? message.text.replace(DRAFT_MARK, "") : message.text} />
      <Attachments ids={filesOf(message)} />
    </>
  );
}

/** A draft for somebody elsewhere, as it stands among the messages: the log marks it with words, the page with a badge. */
const isDraft = (message: Message): boolean => (message.body as { proposal?: boolean } | null)?.proposal === true;

function RetryButton({ channelId }: { channelId: string }): JSX.Element | null {
  const { busy, act } = useAct();
  // Somebody is at it already.
  if (turnsIn(channelId).length > 0) return null;
  const retry = (): void => void act(() => api.retryTurn(channelId).catch((cause: unknown) => notify({ trouble: asTrouble(cause) })));
  return (
    <button type="button" class="small" disabled={busy} onClick={retry}>
      {words().retry}
    </button>
  );
}

/** A pause and its end, and a turn that was stopped, in the reader's language. */
function switched(message: Message): string | undefined {
  const { op, because, outcome } = (message.body ?? {}) as { op?: string; because?: string; outcome?: string };
  if (message.kind !== "system") return undefined;
  if (op === "turn" && outcome === "stopped") return words().stopped;
  if (op === "resumed") return words().goesOn;
  return op === "paused" ? words().pausedBy(message.channelId === HUB ? (because ?? "") : "owner") : undefined;
}

/** What a channel was not told, for the owner alone. */
function HeldBack({ held }: { held: readonly Held[] }): JSX.Element {
  const t = words().held;
  return (
    <span>
      <b>{t.title}</b> {t.note}
      <ul class="held">
        {held.map(({ sentence, category }) => (
          <li key={sentence}>
            {sentence} <small>{t.category(category)}</small>
          </li>
        ))}
      </ul>
    </span>
  );
}

const ASIDE: Record<string, IconName> = { rule: "rule", question: "inbox", answer: "check", approval: "tool" };

/** What happened beside the talk, in one quiet line. */
function Aside({ message, canRetry }: { message: Message; canRetry: boolean }): JSX.Element {
  const t = words();
  const label = { question: t.asked, answer: t.answered, rule: t.learnedRule }[message.kind];
  const text = message.kind === "erased" ? t.erased : (switched(message) ?? (message.kind === "system" ? inWords(message.text) : message.text));
  const icon = ASIDE[message.kind];
  const held = heldBack(message);
  return (
    <div class="aside-line">
      {icon && <Icon name={icon} size={14} />}
      {held ? (
        <HeldBack held={held} />
      ) : (
        <span>
          {label && <b>{label} </b>}
          {text}
        </span>
      )}
      {canRetry && <RetryButton channelId={message.channelId} />}
      <time dateTime={message.ts} title={fullTime(message.ts)}>
        {clock(message.ts)}
      </time>
    </div>
  );
}

const isSpoken = (message: Message): boolean =>
  SPOKEN.has(message.kind) || FOLDED.has(message.kind) || message.kind === "brief" || message.kind === "plan";

/** Whether it belongs below what the same one has just said, without a name of its own. */
export function goesOn(message: Pick<Message, "actorId" | "ts">, previous: Message | undefined): boolean {
  if (!previous || previous.actorId !== message.actorId || !isSpoken(previous)) return false;
  return Date.parse(message.ts) - Date.parse(previous.ts) < TOGETHER_MS;
}

interface Props {
  message: Message;
  previous: Message | undefined;
  marked: boolean;
  /** What became of a tool call, if this is one and it has ended. */
  result: Message | undefined;
  /** Whether it says that a turn came to nothing, and nobody has tried it again. */
  canRetry: boolean;
}

export function MessageRow({ message, previous, marked, result, canRetry }: Props): JSX.Element {
  // Shown with its call.
  if (message.kind === "tool_result" && result === message) return <li data-id={message.id} hidden />;
  const newDay = !previous || !sameDay(previous.ts, message.ts);
  const joined = !newDay && !isDraft(message) && isSpoken(message) && goesOn(message, previous);
  const corrected = message.kind === "edit" && <span class="corrected">{words().corrected}</span>;
  const note = isDraft(message) ? <span class="badge">{words().draftNotSent}</span> : corrected;
  return (
    <li data-id={message.id} class={`row ${joined ? "joined" : ""} ${marked ? "marked" : ""}`}>
      {newDay && <p class="day">{dayName(message.ts)}</p>}
      {isSpoken(message) ? (
        <article class="message" tabIndex={-1}>
          {joined ? <span class="face-gap" /> : <Face actorId={message.actorId} />}
          <div class="said">
            {joined ? (
              <span class="sr">
                {nameOf(message.actorId)} {clock(message.ts)}
              </span>
            ) : (
              <Byline actorId={message.actorId} ts={message.ts} note={note} />
            )}
            <Content message={message} result={result} />
          </div>
          {SPOKEN.has(message.kind) && <MessageActs message={message} />}
        </article>
      ) : (
        <Aside message={message} canRetry={canRetry} />
      )}
    </li>
  );
}
