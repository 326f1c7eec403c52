// Where the person is. The address bar is the truth: /, /channels, /c/<channel>, /c/<channel>/<message>.
import { computed, signal } from "@preact/signals";
import { HUB } from "../api/types";

export type Place =
  | { view: "home" }
  | { view: "channels" }
  | { view: "channel"; channelId: string; messageId: string | null };

function decode(part: string | undefined): string {
  try {
    return decodeURIComponent(part ?? "");
  } catch {
    return "";
  }
}

export function readPlace(path: string): Place {
  const [, first, second, third] = path.split("/");
  if (first === "channels") return { view: "channels" };
  const channelId = decode(second);
  if (first === "c" && channelId) return { view: "channel", channelId, messageId: decode(third) || null };
  return { view: "home" };
}

export const place = signal<Place>(readPlace(location.pathname));

/** The channel whose conversation is shown where there is room for one. */
export const openChannelId = signal(place.value.view === "channel" ? place.value.channelId : HUB);
export const sought = computed(() => (place.value.view === "channel" ? place.value.messageId : null));

function arrive(): void {
  place.value = readPlace(location.pathname);
  if (place.value.view === "channel") openChannelId.value = place.value.channelId;
  else if (place.value.view === "home") openChannelId.value = HUB;
}

export const pathToChannel = (id: string, messageId?: string): string =>
  `/c/${encodeURIComponent(id)}${messageId ? `/${encodeURIComponent(messageId)}` : ""}`;

export function go(path: string): void {
  if (path !== location.pathname) history.pushState(null, "", path);
  arrive();
}

/** Links stay real links (middle click, copy address), but a plain click does not reload the page. */
export function follow(event: MouseEvent): void {
  const link = event.currentTarget;
  if (!(link instanceof HTMLAnchorElement)) return;
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(link.pathname);
}

addEventListener("popstate", arrive);
