// The channels, in an order that does not change under the pointer, and what is new in each.
import { computed, signal } from "@preact/signals";
import { api, asTrouble } from "../api/client";
import { everyPage } from "../api/everyPage";
import { HUB, type Channel, type Message, type NewChannel, type Tier } from "../api/types";
import { meet } from "./actors";
import { failed, loading, ready, valueOr, type Loaded } from "./loaded";

export const channels = signal<Loaded<Channel[]>>(loading);
/** The last words heard in each channel since the page was opened. */
const lastWords = signal<ReadonlyMap<string, string>>(new Map());

/** What was said last in a channel; before anything is heard, it brings its own. */
export const lastHeard = (channel: Channel): string => lastWords.value.get(channel.id) ?? channel.lastWords ?? "";

export const TIERS: readonly Tier[] = ["team", "business_relation", "external"];

export const byId = computed(() => new Map(valueOr(channels.value, []).map((channel) => [channel.id, channel])));

export const grouped = computed(() => {
  const all = valueOr(channels.value, []);
  const groups = TIERS.map((tier) => ({ tier, channels: all.filter((c) => c.tier === tier && c.id !== HUB) }));
  return { hub: all.find((channel) => channel.id === HUB), groups: groups.filter((group) => group.channels.length > 0) };
});

/** The channels from top to bottom, as they are drawn. */
export const inOrder = computed(() => {
  const { hub, groups } = grouped.value;
  return [...(hub ? [hub] : []), ...groups.flatMap((group) => group.channels)];
});

export async function loadChannels(): Promise<void> {
  try {
    const fresh = await everyPage((cursor) => api.channels(cursor));
    const places = new Map(valueOr(channels.value, []).map((channel, index) => [channel.id, index]));
    const last = places.size;
    fresh.sort((a, b) => (places.get(a.id) ?? last) - (places.get(b.id) ?? last));
    channels.value = ready(fresh);
    if (places.size > 0) meet(fresh.flatMap((channel) => channel.members));
  } catch (cause) {
    if (channels.value.state !== "ready") channels.value = failed(asTrouble(cause));
  }
}

export async function createChannel(wanted: NewChannel): Promise<Channel> {
  const channel = await api.createChannel(wanted);
  const known = valueOr(channels.value, []);
  if (!known.some((other) => other.id === channel.id)) channels.value = ready([...known, channel]);
  return channel;
}

export function changeChannel(channelId: string, fields: Partial<Channel>): void {
  if (channels.value.state !== "ready") return;
  channels.value = ready(channels.value.value.map((channel) => (channel.id === channelId ? { ...channel, ...fields } : channel)));
}

const SPOKEN = new Set(["text", "brief", "plan", "note"]);

/** Pauses one channel, or lets it go on. */
export async function switchChannel(channel: Channel): Promise<void> {
  const { paused } = await (channel.paused ? api.resumeChannel(channel.id) : api.pauseChannel(channel.id));
  changeChannel(channel.id, { paused: paused ?? false });
}

function hearSwitch(message: Message): void {
  const { op } = (message.body ?? {}) as { op?: string };
  if (message.kind !== "system" || message.channelId === HUB) return;
  if (op === "paused" || op === "resumed") changeChannel(message.channelId, { paused: op === "paused" });
}

export function hearInChannels(messages: readonly Message[], own: (message: Message) => boolean): void {
  let missing = false;
  const heard = new Map(lastWords.value);
  for (const message of messages) {
    const channel = byId.value.get(message.channelId);
    if (message.kind === "channel" || message.kind === "membership" || !channel) missing = true;
    hearSwitch(message);
    // What was erased is not repeated here; the list brings what stands before it.
    if (message.kind === "erased") {
      missing = true;
      heard.clear();
    }
    if (!channel || !SPOKEN.has(message.kind)) continue;
    // What was noted about a file is new, and nothing that anybody said.
    if (message.kind !== "note") heard.set(message.channelId, message.text.slice(0, 160));
    const unread = own(message) ? channel.unread : channel.unread + 1;
    changeChannel(message.channelId, { lastMessageAt: message.ts, unread });
  }
  lastWords.value = heard;
  if (missing) void loadChannels();
}
