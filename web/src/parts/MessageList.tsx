// The middle of the conversation: messages, what is being sent, who is writing.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { HUB, type Channel, type Message, type Turn } from "../api/types";
import { Markdown } from "../markdown/Markdown";
import { nameOf } from "../state/actors";
import { notify } from "../state/announce";
import { conversation, forget, heldPlace, loadNewer, loadNewest, loadOlder, reach } from "../state/conversation";
import { selfId } from "../state/me";
import { deliver, discard, outbox, type Sending } from "../state/outbox";
import { goInstead, pathToChannel, sought } from "../state/place";
import { valueOr } from "../state/loaded";
import { questions } from "../state/waiting";
import { turnsIn } from "../state/turns";
import { refresh } from "../state/live";
import { words } from "../words";
import { Attachments } from "./Attachments";
import { FirstRun } from "./FirstRun";
import { Icon } from "./Icon";
import { callId, resultsIn } from "./calls";
import { Byline, Face, goesOn, MessageRow } from "./MessageRow";
import { QuestionCard } from "./QuestionCard";
import { lastFailed } from "./tries";
import { TroubleNote, troubleText } from "./TroubleNote";
import { useDrawn } from "./useDrawn";
import { useSpan, type SpanView } from "./useSpan";

function SendingRow({ item }: { item: Sending }): JSX.Element {
  const t = words();
  const waits = item.trouble?.unreachable ?? false;
  return (
    <li class="row">
      <article class="message sending">
        <Face actorId={selfId.value} />
        <div class="said">
          <Byline actorId={selfId.value} ts={item.ts} note={(!item.trouble || waits) && <span>{waits ? t.waitsForConnection : t.sending}</span>} />
          <Markdown text={item.text} />
          <Attachments ids={item.attachmentIds} />
          {item.trouble && !waits && (
            <p class="not-sent" role="alert">
              <Icon name="alert" size={16} />
              <span>
                {t.notSent} {troubleText(item.trouble).what} {troubleText(item.trouble).hint}
              </span>
            </p>
          )}
          {item.trouble && (
            <p class="acts">
              <button type="button" class="small" onClick={() => void deliver(item.key)}>
                {t.retry}
              </button>
              <button type="button" class="quiet small" onClick={() => discard(item.key)}>
                {t.discard}
              </button>
            </p>
          )}
        </div>
      </article>
    </li>
  );
}

/** Words as they come, where they will stand. */
function WritingRow({ turn, previous }: { turn: Turn; previous: Message | undefined }): JSX.Element {
  const joined = !!turn.text && goesOn({ actorId: turn.actorId, ts: new Date().toISOString() }, previous);
  return (
    <li class={`row ${joined ? "joined" : ""}`}>
      <article class="message writing">
        {joined ? <span class="face-gap" /> : <Face actorId={turn.actorId} />}
        <div class="said">
          {!joined && (
            <div class="byline">
              {turn.text ? <b>{nameOf(turn.actorId)}</b> : <span class="writing-note">{words().doing(nameOf(turn.actorId), turn.state ?? "speaking")}</span>}
              <span class="busy" aria-hidden="true" />
            </div>
          )}
          {turn.text && <Markdown text={turn.text} />}
        </div>
      </article>
    </li>
  );
}

function Writing({ channelId }: { channelId: string }): JSX.Element {
  const previous = conversation(channelId).value.messages.at(-1);
  return (
    <>
      {turnsIn(channelId).map((turn) => (
        <WritingRow key={turn.actorId} turn={turn} previous={previous} />
      ))}
    </>
  );
}

/** With more of them there would be no talk left to see; all are in the pane of what waits. */
const NEAR = 3;

/** Calls that want a yes, where they are made. */
function Approvals({ channelId }: { channelId: string }): JSX.Element {
  const asked = valueOr(questions.value, []).filter((question) => question.kind === "approval" && question.channelId === channelId);
  return (
    <>
      {asked.slice(-NEAR).map((question) => (
        <li class="row approval-row" key={question.id}>
          <QuestionCard question={question} here />
        </li>
      ))}
    </>
  );
}

/** Brings the message of the address into view and marks it. */
function useSought(channelId: string, span: SpanView): string | null {
  const [marked, setMarked] = useState<string | null>(null);
  const { loaded } = conversation(channelId).value;
  const wanted = sought.value;
  useEffect(() => {
    if (!wanted || !loaded) return setMarked(null);
    let left = false;
    void reach(channelId, wanted).then((found) => {
      if (left) return;
      // A card may go back to what was said in several rooms.
      if (typeof found === "string") return goInstead(pathToChannel(found, wanted));
      if (!found) return notify({ text: words().messageTooFarBack });
      const log = conversation(channelId).value;
      span.show(log.first + log.messages.findIndex((message) => message.id === wanted), wanted);
      setMarked(wanted);
    });
    return () => {
      left = true;
    };
  }, [channelId, wanted, loaded]);
  return marked;
}

function Top({ channel }: { channel: Channel }): JSX.Element | null {
  const t = words();
  const log = conversation(channel.id).value;
  if (log.trouble) return <TroubleNote trouble={log.trouble} retry={() => void loadOlder(channel.id)} />;
  if (log.loadingOlder) return <p class="top-note">{t.loadingOlder}</p>;
  if (log.older) return null;
  return <p class="top-note">{t.beginning(channel.id === HUB ? t.prime : channel.name)}</p>;
}

export const Bones = (): JSX.Element => (
  <div class="bones talk-bones" aria-hidden="true">
    {[34, 78, 62, 30, 84].map((width) => (
      <span style={{ width: `${width}%` }} />
    ))}
  </div>
);

function Empty({ channel }: { channel: Channel }): JSX.Element {
  if (channel.id === HUB) return <FirstRun />;
  return (
    <div class="empty">
      <Icon name="chat" size={28} />
      <p>{words().emptyChannel(channel.name)}</p>
    </div>
  );
}

/** Up and down go from message to message; what can be done with one is a Tab further. */
function stepMessage(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const at = document.activeElement;
  const log = event.currentTarget;
  if (!by || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || (at !== log && !at?.matches(".message"))) return;
  const messages = [...log.querySelectorAll<HTMLElement>(".row > .message")];
  const next = at === log ? messages.at(-1) : messages[messages.indexOf(at as HTMLElement) + by];
  if (!next) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

function Rows({ channel }: { channel: Channel }): JSX.Element {
  const t = words();
  const log = conversation(channel.id).value;
  const mine = outbox.value.filter((item) => item.channelId === channel.id);
  const end = log.first + log.messages.length;
  const span = useSpan(
    log.first,
    end,
    () => void loadOlder(channel.id),
    () => void loadNewer(channel.id),
  );
  const results = resultsIn(log.messages);
  const failed = log.detached ? null : lastFailed(log.messages);
  const drawn = useDrawn();
  const toEnd = (): void => {
    span.toEnd();
    heldPlace.value = null;
    if (!log.detached) return;
    forget(channel.id);
    void loadNewest(channel.id);
  };
  const marked = useSought(channel.id, span);
  useEffect(() => {
    heldPlace.value = span.following ? null : channel.id;
    return () => {
      heldPlace.value = null;
    };
  }, [channel.id, span.following]);
  const lastSent = mine.at(-1)?.key;
  useEffect(() => {
    if (lastSent) toEnd();
  }, [lastSent]);
  const shown = log.messages.slice(span.from - log.first, span.to - log.first);
  const atEnd = span.to === end;
  return (
    <>
      <div class="log" ref={span.scroller} onScroll={span.onScroll} onKeyDown={stepMessage} tabIndex={0} role="region" aria-label={t.conversation}>
        <ol>
          {span.from === log.first && (
            <li class="top">
              <Top channel={channel} />
            </li>
          )}
          {shown.map((message, index) => {
            const previous = log.messages[span.from - log.first + index - 1];
            const isMarked = message.id === marked;
            const result = results.get(callId(message));
            const canRetry = message.id === failed;
            return drawn(message.id, [message, previous, isMarked, result, canRetry], () => (
              <MessageRow key={message.id} message={message} previous={previous} marked={isMarked} result={result} canRetry={canRetry} />
            ));
          })}
          {atEnd && mine.map((item) => <SendingRow key={item.key} item={item} />)}
          {atEnd && <Approvals channelId={channel.id} />}
          {atEnd && <Writing channelId={channel.id} />}
        </ol>
      </div>
      {(!span.following || log.detached) && (
        <button type="button" class="to-latest" onClick={toEnd}>
          <Icon name="down" size={16} />
          {span.unseen > 0 ? t.newBelow(span.unseen) : t.toLatest}
        </button>
      )}
    </>
  );
}

export function MessageList({ channel }: { channel: Channel }): JSX.Element {
  const log = conversation(channel.id).value;
  const sendingHere = outbox.value.some((item) => item.channelId === channel.id);
  if (!log.loaded && log.trouble) return <TroubleNote trouble={log.trouble} retry={() => void refresh()} />;
  if (!log.loaded) return <Bones />;
  if (log.messages.length === 0 && !log.older && !sendingHere) return <Empty channel={channel} />;
  return <Rows channel={channel} />;
}
