// What is heard from the server goes where it belongs. After every gap the page also reads again what it shows, so that it is
// right even when the server no longer remembers that far back.
import { batch, effect } from "@preact/signals";
import { onRefused } from "../api/client";
import { type FeedItem, type Message, type Question, type Status, type Turn } from "../api/types";
import type { Draft } from "../api/gate";
import type { Server } from "../api/mcp";
import { words } from "../words";
import { loadActors, meet, nameOf } from "./actors";
import { announce } from "./announce";
import { hearInChannels, loadChannels } from "./channels";
import { hearInConversations, loadNewest, loadedChannels } from "./conversation";
import { hearDraft, loadDrafts } from "./drafts";
import { kept } from "./kept";
import { deliverAgain, hearOwn } from "./outbox";
import { isGuest, isNobody, isOwner, loadMe, me, selfId } from "./me";
import { go, goInstead, isDoor, openChannelId, pathToChannel } from "./place";
import { hearServer } from "./servers";
import { answering, hearStatus, keepStatusFresh, link, loadStatus, loadStatusSoon } from "./status";
import { listen, listenAnew, type Heard, type Link } from "./stream";
import { hearTurn, hearWords } from "./turns";
import { hearFeed, hearQuestion, loadFeed, loadQuestions } from "./waiting";

/** Messages are taken up together, so that a busy hour costs a few drawings a second and typing stays quick. */
const GATHER_MS = 40;
/** While they come thick and fast nobody reads each as it comes. */
const GATHER_BUSY_MS = 150;
/** How long to wait for the stream before reading anyway. */
const PATIENCE_MS = 800;

let gathered: Message[] = [];
let busy = false;

/** The owner's room is not a guest's: they begin in a channel of theirs, and come to it whenever they go home. */
function leadGuest(): void {
  const theirs = me.value?.channelIds ?? [];
  if (isGuest.value && theirs[0] && !theirs.includes(openChannelId.value)) goInstead(pathToChannel(theirs[0]));
}

/** Where somebody was on their way to when they had to sign in, and back there once they are in. */
const WANTED = "wanted";

const remember = (): void => kept.write(WANTED, location.pathname === "/" ? "" : location.pathname + location.search);

function goToDoor(): void {
  remember();
  go("/sign-in");
}

/** Whoever was in and is no longer is led to the door and back; what they wrote is kept and goes out then. */
async function leadOut(): Promise<void> {
  await loadMe();
  if (!isNobody.value || isDoor()) return;
  remember();
  // A page that begins anew asks for nothing that is not theirs any more.
  location.assign("/sign-in?problem=signed_out");
}

function leadOn(): void {
  const wanted = kept.read(WANTED);
  kept.write(WANTED, "");
  if (wanted?.startsWith("/") && location.pathname === "/") go(wanted);
}

/** Who this is was asked just before the page was shown. */
let meIsFresh = true;

/** Called when everything was read for the first time. */
let firstRead = (): void => {};

export async function refresh(): Promise<void> {
  if (!meIsFresh || !me.value) await loadMe();
  meIsFresh = false;
  // The page's doors work for people who are not in yet; nothing else is theirs to see.
  if (isNobody.value) return isDoor() ? undefined : goToDoor();
  const rooms = new Set([openChannelId.value, ...loadedChannels()]);
  const owners = isOwner();
  // A browser asks for a few things at a time: what is seen first is asked for first.
  await Promise.all([
    ...(owners ? [loadStatus()] : []),
    loadChannels(),
    ...[...rooms].map(loadNewest),
    ...(owners ? [loadQuestions(), loadDrafts(), loadFeed()] : []),
    loadActors(),
  ]);
  firstRead();
}

function takeUp(): void {
  const messages = gathered;
  gathered = [];
  busy = messages.length > 1;
  batch(() => {
    hearOwn(messages);
    hearInConversations(messages);
    hearInChannels(messages, (message) => message.actorId === selfId.value);
    messages.forEach(hearWords);
  });
  meet(messages.map((message) => message.actorId));
  const last = messages.findLast((m) => m.channelId === openChannelId.value && m.actorId !== selfId.value && m.kind === "text");
  if (last) announce(words().said(nameOf(last.actorId), last.text.slice(0, 300)));
}

function gather(message: Message, id: string): void {
  if (message.seq === undefined && /^\d+$/.test(id)) message.seq = Number(id);
  if (gathered.push(message) === 1) setTimeout(takeUp, busy ? GATHER_BUSY_MS : GATHER_MS);
}

function onHeard({ name, data, id }: Heard): void {
  const heard: unknown = JSON.parse(data);
  if (name !== "status" && name !== "server" && isOwner()) loadStatusSoon();
  if (name === "message") gather(heard as Message, id);
  else if (name === "feed") onFeed(heard as Partial<FeedItem>);
  else if (name === "status") hearStatus(heard as Status);
  else if (name === "turn") hearTurn(heard as Turn);
  else if (name === "question") onQuestion(heard as Question);
  else if (name === "draft") onDraft(heard as Partial<Draft>);
  else if (name === "server") hearServer(heard as Server);
}

/** Decisions that led to silence come by here as well; they are no items of the feed. */
function onFeed(item: Partial<FeedItem>): void {
  if (item.type === "surfaced" || item.type === "auto_resolved") hearFeed(item as FeedItem);
}

function onQuestion(question: Question): void {
  hearQuestion(question);
  if (question.status === "pending") announce(words().questionCame(question.text));
}

/** Other news of the gate come by here as well: classes taught and revoked. */
function onDraft(draft: Partial<Draft>): void {
  if (!draft.id || !draft.connector || !draft.status) return;
  hearDraft(draft as Draft);
  if (draft.status === "pending") announce(words().draft.label(draft.text ?? ""));
}

/** Prime did not answer for a while, and the stream was not opened since. */
let doubtful = false;

/** The browser may still take the stream for open; what it missed meanwhile is read, and what was not sent goes out. */
function mistrustStream(): void {
  effect(() => {
    if (!answering.value) doubtful = true;
    else if (doubtful && link.peek() === "live") listenAnew();
  });
}

function onLink(now: Link): void {
  const before = link.value;
  link.value = now;
  // It may have been refused: then asking for anything leads to the door.
  if (now === "lost" && isOwner()) void loadStatus();
  if (now !== "live" || before === "live") return;
  doubtful = false;
  if (before === "lost") announce(words().reconnected);
  void refresh().then(deliverAgain);
}

/** Begins to listen, then reads: in this order nothing falls between the two. Reads anyway when listening takes long. */
export async function begin(): Promise<void> {
  if (isDoor()) return;
  if (isNobody.value) return goToDoor();
  leadOn();
  onRefused(() => void leadOut());
  effect(leadGuest);
  listen({ onHeard, onLink });
  if (isOwner()) keepStatusFresh();
  mistrustStream();
  await new Promise<void>((done) => {
    firstRead = done;
    setTimeout(() => link.value !== "live" && void refresh(), PATIENCE_MS);
  });
}
