// The stream of events. The browser reconnects by itself and says where it stopped (Last-Event-ID); after every gap the page
// also reads again what it shows, so that it is right even when the server no longer remembers that far back.
import { batch } from "@preact/signals";
import { OWNER, type FeedItem, type Message, type Question, type Status, type Turn } from "../api/types";
import { loadActors } from "./actors";
import { byId, hearInChannels, loadChannels, markSeenIfLooking } from "./channels";
import { hearInConversations, loadNewest, loadedChannels } from "./conversation";
import { announce } from "./announce";
import { nameOf } from "./actors";
import { deliverAgain, hearOwn } from "./outbox";
import { openChannelId } from "./place";
import { hearStatus, link, loadStatus } from "./status";
import { endTurn, hearTurn } from "./turns";
import { hearFeed, hearQuestion, loadFeed, loadQuestions } from "./waiting";
import { words } from "../words";

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;
/** Messages are taken up together, so that a busy hour costs a few renders a second and typing stays quick. */
const GATHER_MS = 40;

let source: EventSource | null = null;
let wait = FIRST_WAIT_MS;
let again: number | undefined;
let gathered: Message[] = [];

export async function refresh(): Promise<void> {
  const rooms = new Set([openChannelId.value, ...loadedChannels()]);
  await Promise.all([
    loadStatus(),
    loadActors(),
    loadChannels().then(markSeenIfLooking),
    loadQuestions(),
    loadFeed(),
    ...[...rooms].map(loadNewest),
  ]);
}

function takeUp(): void {
  const messages = gathered;
  gathered = [];
  batch(() => {
    hearOwn(messages);
    hearInConversations(messages);
    hearInChannels(messages, (message) => message.actorId === OWNER);
    for (const message of messages) endTurn(message);
  });
  const last = messages.findLast((m) => m.channelId === openChannelId.value && m.actorId !== OWNER && m.kind === "text");
  if (last) announce(words().said(nameOf(last.actorId), last.text.slice(0, 300)));
}

function gather(event: MessageEvent<string>): void {
  const message = JSON.parse(event.data) as Message;
  const seq = Number(event.lastEventId);
  if (message.seq === undefined && event.lastEventId && Number.isFinite(seq)) message.seq = seq;
  if (gathered.push(message) === 1) setTimeout(takeUp, GATHER_MS);
}

function hear<T>(name: string, use: (data: T) => void): void {
  source?.addEventListener(name, (event: MessageEvent<string>) => use(JSON.parse(event.data) as T));
}

function onOpen(): void {
  const wasLost = link.value === "lost";
  link.value = "live";
  wait = FIRST_WAIT_MS;
  if (wasLost) announce(words().reconnected);
  void refresh().then(deliverAgain);
}

function onError(): void {
  link.value = "lost";
  // The browser tries again by itself unless the answer was a refusal; then we do.
  if (source?.readyState !== EventSource.CLOSED) return;
  clearTimeout(again);
  again = window.setTimeout(connect, wait);
  wait = Math.min(wait * 2, LONGEST_WAIT_MS);
}

export function connect(): void {
  clearTimeout(again);
  source?.close();
  source = new EventSource("/events");
  source.addEventListener("open", onOpen);
  source.addEventListener("error", onError);
  // A plain `message` event is also what the browser calls events without a name; ours always carry JSON.
  source.addEventListener("message", gather);
  hear<FeedItem>("feed", hearFeed);
  hear<Status>("status", hearStatus);
  hear<Turn>("turn", hearTurn);
  hear<Question>("question", (question) => {
    const known = byId.value.size > 0;
    hearQuestion(question);
    if (known && question.status === "pending") announce(words().questionCame(question.text));
  });
}

/** Begins to listen, then reads: in this order nothing falls between the two. Reads anyway when listening takes long. */
export function begin(): void {
  connect();
  window.setTimeout(() => {
    if (link.value !== "live") void refresh();
  }, 250);
  addEventListener("online", () => {
    if (link.value === "lost") connect();
  });
}
