// One channel's messages as far as they are loaded. `first` is the place of the oldest one and goes down as older ones
// arrive, so a place names the same message for as long as the page lives, whatever is put before or behind it.
import { signal, type Signal } from "@preact/signals";
import { api, asTrouble, type Trouble } from "../api/client";
import type { Message, Page } from "../api/types";
import { filesOf } from "./files";

const PAGE = 60;
const BIG_PAGE = 500;
/** A conversation that grew longer than this is forgotten when the person leaves it. */
const KEEP = 400;

export interface Conversation {
  messages: readonly Message[];
  first: number;
  older: string | null;
  loaded: boolean;
  loadingOlder: boolean;
  /** There are newer messages than those loaded: the person followed a link far back. */
  detached: boolean;
  trouble: Trouble | null;
}

const nothing: Conversation = { messages: [], first: 0, older: null, loaded: false, loadingOlder: false, detached: false, trouble: null };
const conversations = new Map<string, Signal<Conversation>>();

export function conversation(channelId: string): Signal<Conversation> {
  let found = conversations.get(channelId);
  if (!found) {
    found = signal(nothing);
    conversations.set(channelId, found);
  }
  return found;
}

/** Bookkeeping such as joins has no words; the log keeps it, the conversation does not show it. */
const SHOWN_WITHOUT_WORDS = new Set(["erased", "tool_call", "tool_result"]);
/** What somebody has said: without words and files it was erased, and only that is left to be seen. */
const SAID = new Set(["text", "note", "edit"]);
const asLeft = (message: Message): Message => (SAID.has(message.kind) && message.text === "" && filesOf(message).length === 0 ? { ...message, kind: "erased" } : message);
/** The log's record of an erasure names what went; what went says so itself. */
const goneBy = ({ kind, body }: Message): readonly string[] => (kind === "erased" ? ((body as { messageIds?: string[] } | null)?.messageIds ?? []) : []);
/** What Prime notes for itself has its own views: facts, state, the feed. */
const NOTED_ELSEWHERE = new Set(["extraction", "state", "decision"]);
/** A draft stands in the conversation as a message already. */
const isProposal = ({ kind, body }: Message): boolean => kind === "gate" && (body as { op?: string } | null)?.op === "proposed";
const isShown = (message: Message): boolean =>
  (message.text !== "" || SHOWN_WITHOUT_WORDS.has(message.kind)) && !NOTED_ELSEWHERE.has(message.kind) && !isProposal(message) && goneBy(message).length === 0;
const shownOf = (messages: readonly Message[]): Message[] => messages.map(asLeft).filter(isShown);

const inOrder = (a: Message, b: Message): boolean => a.seq === undefined || b.seq === undefined || a.seq <= b.seq;

/** Messages joined into a list that is already in order. The same list comes back when nothing is new. */
export function joined(known: readonly Message[], news: readonly Message[]): readonly Message[] {
  const ids = new Map(known.slice(-PAGE * 2).map((message, index, tail) => [message.id, known.length - tail.length + index]));
  const result = [...known];
  for (const message of news) {
    const at = ids.get(message.id);
    if (at !== undefined) {
      if (result[at]?.id === message.id) result[at] = message;
      continue;
    }
    let end = result.length;
    while (end > 0 && !inOrder(result[end - 1]!, message)) end--;
    result.splice(end, 0, message);
  }
  return result;
}

/** The channel whose older messages somebody is looking at: there the page holds its place, whatever arrives. */
export const heldPlace = signal<string | null>(null);

function withNewest(now: Conversation, page: Page<Message>, held: boolean): Conversation {
  const known = new Set(now.messages.map((message) => message.id));
  // Somebody who followed a link far back stays there; what is new waits behind "to the latest".
  if (now.detached) return now;
  const touches = page.items.some((message) => known.has(message.id));
  if (now.loaded && touches) return { ...now, messages: joined(now.messages, page.items), trouble: null };
  if (now.loaded && held) return { ...now, detached: true };
  // Nothing in common: too much happened while we were away, so begin again from the newest.
  return { ...nothing, messages: page.items, older: page.nextCursor, loaded: true };
}

async function shownPage(channelId: string, limit: number, cursor?: string): Promise<Page<Message>> {
  const page = await api.messages(channelId, limit, cursor);
  return { ...page, items: shownOf(page.items) };
}

const underWay = new Set<string>();

export async function loadNewest(channelId: string): Promise<void> {
  const log = conversation(channelId);
  underWay.add(channelId);
  try {
    const page = await shownPage(channelId, PAGE);
    log.value = withNewest(log.value, page, heldPlace.value === channelId);
  } catch (cause) {
    if (!log.value.loaded) log.value = { ...log.value, trouble: asTrouble(cause) };
  } finally {
    underWay.delete(channelId);
  }
}

/** For whoever enters: what is there already, or on its way, is not asked for again. */
export function loadOnEntering(channelId: string): void {
  if (!conversation(channelId).value.loaded && !underWay.has(channelId)) void loadNewest(channelId);
}

export async function loadOlder(channelId: string, limit = PAGE): Promise<void> {
  const log = conversation(channelId);
  const { older, loadingOlder } = log.value;
  if (!older || loadingOlder) return;
  log.value = { ...log.value, loadingOlder: true, trouble: null };
  try {
    const page = await shownPage(channelId, limit, older);
    if (log.value.older !== older) return;
    const now = log.value;
    const known = new Set(now.messages.map((message) => message.id));
    const fresh = page.items.filter((message) => !known.has(message.id));
    log.value = { ...now, messages: [...fresh, ...now.messages], first: now.first - fresh.length, older: page.nextCursor };
  } catch (cause) {
    log.value = { ...log.value, trouble: asTrouble(cause) };
  } finally {
    log.value = { ...log.value, loadingOlder: false };
  }
}

/** Loads a message and what is around it, however far back it is. The channel in which it is where that is another one, else false. */
export async function reach(channelId: string, messageId: string): Promise<boolean | string> {
  const log = conversation(channelId);
  if (log.value.messages.some((message) => message.id === messageId)) return true;
  try {
    const page = await api.around(channelId, BIG_PAGE, messageId);
    const items = shownOf(page.items);
    if (!items.some((message) => message.id === messageId)) return false;
    const known = new Set(log.value.messages.map((message) => message.id));
    const newest = items.at(-1)?.id;
    if (newest && known.has(newest)) return joinOlder(log, items, page.nextCursor);
    log.value = { ...nothing, messages: items, older: page.nextCursor, loaded: true, detached: true };
    return true;
  } catch (cause) {
    const { channelId: there } = asTrouble(cause);
    return there !== channelId && (there ?? false);
  }
}

function joinOlder(log: Signal<Conversation>, items: readonly Message[], older: string | null): true {
  const now = log.value;
  const known = new Set(now.messages.map((message) => message.id));
  const fresh = items.filter((message) => !known.has(message.id));
  log.value = { ...now, messages: [...fresh, ...now.messages], first: now.first - fresh.length, older };
  return true;
}

/** The next newer messages of a conversation that was entered far back. */
export async function loadNewer(channelId: string): Promise<void> {
  const log = conversation(channelId);
  const last = log.value.messages.at(-1);
  if (!log.value.detached || log.value.loadingOlder || !last) return;
  log.value = { ...log.value, loadingOlder: true };
  try {
    const page = await api.around(channelId, BIG_PAGE, last.id);
    const at = page.items.findIndex((message) => message.id === last.id);
    const fresh = page.items.slice(at + 1);
    log.value = { ...log.value, messages: [...log.value.messages, ...shownOf(fresh)], detached: fresh.length >= BIG_PAGE / 2 };
  } catch (cause) {
    log.value = { ...log.value, trouble: asTrouble(cause) };
  } finally {
    log.value = { ...log.value, loadingOlder: false };
  }
}

export function hearInConversations(messages: readonly Message[]): void {
  blank(messages.flatMap(goneBy));
  for (const channelId of new Set(messages.map((message) => message.channelId))) {
    const news = shownOf(messages.filter((message) => message.channelId === channelId));
    const log = conversations.get(channelId);
    if (log?.value.loaded && !log.value.detached) log.value = { ...log.value, messages: joined(log.value.messages, news) };
  }
}

/** Messages that were erased: only that they were there is left. */
export function blank(messageIds: readonly string[]): void {
  if (messageIds.length === 0) return;
  const gone = new Set(messageIds);
  for (const log of conversations.values()) {
    if (!log.value.messages.some((message) => gone.has(message.id))) continue;
    log.value = { ...log.value, messages: log.value.messages.map((message) => (gone.has(message.id) ? { ...message, kind: "erased", text: "", body: null } : message)) };
  }
}

/** Back to the newest messages from wherever the person is. */
export function forget(channelId: string): void {
  const log = conversations.get(channelId);
  if (log) log.value = nothing;
}

export function forgetIfLong(channelId: string): void {
  const log = conversations.get(channelId);
  if (log && (log.value.messages.length > KEEP || log.value.detached)) log.value = nothing;
}

export const loadedChannels = (): string[] => [...conversations].filter(([, log]) => log.value.loaded).map(([id]) => id);
