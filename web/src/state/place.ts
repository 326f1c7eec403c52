// Where the person is. The address bar is the truth: /, /channels, /c/<channel>, /c/<channel>/<message>, and a view's own
// address such as /tools/<name> or /recall?q=…. Notifications lead to /questions/<question> and /drafts: what waits, at that card.
import { computed, signal } from "@preact/signals";
import { HUB } from "../api/types";

export const VIEWS = ["room", "recall", "rules", "tools", "scripts", "network", "insight", "settings", "sign-in", "invite"] as const;
export type ViewName = (typeof VIEWS)[number];

/** Among what waits, the one that somebody came for. */
export type WantedCard = { questionId: string } | "draft";

export type Place =
  | { view: "home"; card?: WantedCard }
  | { view: "channels" }
  | { view: "channel"; channelId: string; messageId: string | null }
  | { view: ViewName; rest: string[] };

/** A part of an address in plain letters; nothing for what nobody could have meant. */
export function decode(part: string | undefined): string {
  try {
    return decodeURIComponent(part ?? "");
  } catch {
    return "";
  }
}

const isView = (name: string | undefined): name is ViewName => (VIEWS as readonly (string | undefined)[]).includes(name);

export function readPlace(path: string): Place {
  const [, first, second, third] = path.split("/");
  if (first === "channels") return { view: "channels" };
  const id = decode(second);
  if (first === "c" && id) return { view: "channel", channelId: id, messageId: decode(third) || null };
  if (first === "questions" && id) return { view: "home", card: { questionId: id } };
  if (first === "drafts") return { view: "home", card: "draft" };
  if (isView(first)) return { view: first, rest: path.split("/").slice(2).map(decode).filter(Boolean) };
  return { view: "home" };
}

export const place = signal<Place>(readPlace(location.pathname));
/** What stands behind the question mark of the address. */
export const search = signal(location.search);

/** The channel whose conversation is shown where there is room for one. */
export const openChannelId = signal(place.value.view === "channel" ? place.value.channelId : HUB);
export const sought = computed(() => (place.value.view === "channel" ? place.value.messageId : null));
/** The view in the middle instead of a conversation, if any. */
export const openView = computed<ViewName | null>(() => (isView(place.value.view) ? place.value.view : null));
/** The parts of the address behind the view's name. */
export const rest = computed<readonly string[]>(() => ("rest" in place.value ? place.value.rest : []));

/** Whether this is a way in, for somebody who is not in yet. */
export const isDoor = (): boolean => openView.value === "sign-in" || openView.value === "invite";

function arrive(): void {
  place.value = readPlace(location.pathname);
  search.value = location.search;
  if (place.value.view === "channel") openChannelId.value = place.value.channelId;
  else if (place.value.view === "home") openChannelId.value = HUB;
}

export const pathToChannel = (id: string, messageId?: string): string =>
  `/c/${encodeURIComponent(id)}${messageId ? `/${encodeURIComponent(messageId)}` : ""}`;

export function go(path: string): void {
  if (path !== location.pathname + location.search) history.pushState(null, "", path);
  arrive();
}

/** Goes there in place of where nobody can be; the way back does not lead there again. */
export function goInstead(path: string): void {
  history.replaceState(null, "", path);
  arrive();
}

/** Says in the address what is searched for, without a step in the history for every letter. */
export function setSearch(values: Record<string, string>): void {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value)).toString();
  history.replaceState(null, "", location.pathname + (query ? `?${query}` : ""));
  search.value = location.search;
}

export const searched = (name: string): string => new URLSearchParams(search.value).get(name) ?? "";

/** Links stay real links (middle click, copy address), but a plain click does not reload the page. */
export function followTo(event: MouseEvent, path: string): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(path);
}

export function follow(event: MouseEvent): void {
  const link = event.currentTarget;
  if (link instanceof HTMLAnchorElement) followTo(event, link.pathname + link.search + link.hash);
}

addEventListener("popstate", arrive);
