// One message, drawn by what kind it is.
import type { ComponentChildren, JSX } from "preact";
import { OWNER, PRIME, type Message } from "../api/types";
import { Markdown } from "../markdown/Markdown";
import { nameOf } from "../state/actors";
import { words } from "../words";
import { clock, dayName, fullTime, sameDay } from "../words/format";
import { Icon, type IconName } from "./Icon";

const TOGETHER_MS = 5 * 60_000;
const SPOKEN = new Set(["text", "note", "edit"]);
const FOLDED = new Set(["thought", "tool_call", "tool_result"]);

export function Face({ actorId }: { actorId: string }): JSX.Element {
  const kind = actorId === OWNER ? "owner" : actorId === PRIME ? "prime" : "";
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

function detail(body: unknown): string {
  if (body === null || body === undefined || body === "") return "";
  if (typeof body === "string") return body;
  const text = JSON.stringify(body, null, 2);
  return text === "{}" || text === "[]" ? "" : text;
}

function Folded({ message }: { message: Message }): JSX.Element {
  const t = words();
  const label = message.kind === "thought" ? t.thought : message.kind === "tool_call" ? t.toolCall : t.toolResult;
  const more = detail(message.body);
  return (
    <details class="folded">
      <summary>
        <Icon name={message.kind === "thought" ? "chat" : "tool"} size={16} />
        <span>{label}</span>
        <span class="folded-line">{message.text.split("\n", 1)[0]}</span>
      </summary>
      {message.text && <Markdown text={message.text} />}
      {more && (
        <pre tabIndex={0}>
          <code>{more}</code>
        </pre>
      )}
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

function Content({ message }: { message: Message }): JSX.Element {
  const t = words();
  if (message.kind === "brief") return <Sheet label={t.brief} note={t.briefNote} text={message.text} />;
  if (message.kind === "plan") return <Sheet label={t.plan} text={message.text} />;
  if (FOLDED.has(message.kind)) return <Folded message={message} />;
  return <Markdown text={message.text} />;
}

const ASIDE: Record<string, IconName> = { question: "inbox", answer: "check", approval: "tool" };

/** What happened beside the talk, in one quiet line. */
function Aside({ message }: { message: Message }): JSX.Element {
  const t = words();
  const label = message.kind === "question" ? t.asked : message.kind === "answer" ? t.answered : null;
  const text = message.kind === "erased" ? t.erased : message.text;
  const icon = ASIDE[message.kind];
  return (
    <div class="aside-line">
      {icon && <Icon name={icon} size={14} />}
      <span>
        {label && <b>{label} </b>}
        {text}
      </span>
      <time dateTime={message.ts} title={fullTime(message.ts)}>
        {clock(message.ts)}
      </time>
    </div>
  );
}

const isSpoken = (message: Message): boolean =>
  SPOKEN.has(message.kind) || FOLDED.has(message.kind) || message.kind === "brief" || message.kind === "plan";

function goesOn(message: Message, previous: Message | undefined): boolean {
  if (!previous || previous.actorId !== message.actorId || !isSpoken(previous)) return false;
  return Date.parse(message.ts) - Date.parse(previous.ts) < TOGETHER_MS;
}

interface Props {
  message: Message;
  previous: Message | undefined;
  marked: boolean;
}

export function MessageRow({ message, previous, marked }: Props): JSX.Element {
  const newDay = !previous || !sameDay(previous.ts, message.ts);
  const joined = !newDay && isSpoken(message) && goesOn(message, previous);
  const corrected = message.kind === "edit" && <span class="corrected">{words().corrected}</span>;
  return (
    <li data-id={message.id} class={`row ${joined ? "joined" : ""} ${marked ? "marked" : ""}`}>
      {newDay && <p class="day">{dayName(message.ts)}</p>}
      {isSpoken(message) ? (
        <article class="message">
          {joined ? <span class="face-gap" /> : <Face actorId={message.actorId} />}
          <div class="said">
            {joined ? (
              <span class="sr">
                {nameOf(message.actorId)} {clock(message.ts)}
              </span>
            ) : (
              <Byline actorId={message.actorId} ts={message.ts} note={corrected} />
            )}
            <Content message={message} />
          </div>
        </article>
      ) : (
        <Aside message={message} />
      )}
    </li>
  );
}
