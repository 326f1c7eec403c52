// What somebody has in front of them counts as read: here, and the owner's on the server, too.
import { computed, effect, signal } from "@preact/signals";
import { api } from "../api/client";
import { byId, changeChannel } from "./channels";
import { conversation } from "./conversation";
import { isGuest } from "./me";
import { narrow } from "./narrow";
import { openChannelId, place } from "./place";

/** A busy channel is marked now and then, not with every message. */
const PAUSE_MS = 500;

const visible = signal(document.visibilityState === "visible");
document.addEventListener("visibilitychange", () => (visible.value = document.visibilityState === "visible"));

const looking = computed(() => visible.value && (place.value.view === "channel" || !narrow.value));
const waiting = new Map<string, string>();

async function tellServer(channelId: string): Promise<void> {
  const messageId = waiting.get(channelId);
  waiting.delete(channelId);
  try {
    if (messageId) await api.markRead(channelId, messageId);
  } catch {
    // The next message or the next visit marks it again; nothing is lost but a number.
  }
}

effect(() => {
  const channel = byId.value.get(openChannelId.value);
  if (!channel || channel.unread === 0 || !looking.value) return;
  const last = conversation(channel.id).value.messages.at(-1);
  if (!last) return;
  changeChannel(channel.id, { unread: 0 });
  // Only of the owner it is kept how far they have read.
  if (isGuest.value) return;
  if (!waiting.has(channel.id)) setTimeout(() => void tellServer(channel.id), PAUSE_MS);
  waiting.set(channel.id, last.id);
});
