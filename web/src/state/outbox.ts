// What the person sent and the server has not confirmed yet. Each carries a key, so that sending it twice logs it once;
// it is kept in the browser, so that neither a reload nor a server that is away loses it.
import { signal } from "@preact/signals";
import { api, asTrouble, type Trouble } from "../api/client";
import type { Message } from "../api/types";
import { hearInConversations } from "./conversation";
import { kept, readJson } from "./kept";
import { selfId } from "./me";

export interface Sending {
  key: string;
  channelId: string;
  text: string;
  attachmentIds: readonly string[];
  ts: string;
  trouble: Trouble | null;
}

type Kept = Omit<Sending, "trouble">;

export const outbox = signal<readonly Sending[]>(readJson<Kept[]>("outbox", []).map((item) => ({ ...item, attachmentIds: item.attachmentIds ?? [], trouble: null })));
const underway = new Set<string>();

function setOutbox(next: readonly Sending[]): void {
  outbox.value = next;
  const lean: Kept[] = next.map(({ key, channelId, text, attachmentIds, ts }) => ({ key, channelId, text, attachmentIds, ts }));
  kept.write("outbox", lean.length ? JSON.stringify(lean) : "");
}

const setTrouble = (key: string, trouble: Trouble | null): void =>
  setOutbox(outbox.value.map((item) => (item.key === key ? { ...item, trouble } : item)));

export const discard = (key: string): void => setOutbox(outbox.value.filter((item) => item.key !== key));

export function send(channelId: string, text: string, attachmentIds: readonly string[] = []): void {
  const item: Sending = { key: crypto.randomUUID(), channelId, text, attachmentIds, ts: new Date().toISOString(), trouble: null };
  setOutbox([...outbox.value, item]);
  void deliver(item.key);
}

export async function deliver(key: string): Promise<void> {
  const item = outbox.value.find((other) => other.key === key);
  if (!item || underway.has(key)) return;
  underway.add(key);
  setTrouble(key, null);
  try {
    const message = await api.say(item.channelId, item.text, item.key, item.attachmentIds);
    hearInConversations([message]);
    discard(key);
  } catch (cause) {
    const trouble = asTrouble(cause);
    setTrouble(key, trouble);
    if (trouble.unreachable) deliverSoon();
  } finally {
    underway.delete(key);
  }
}

const SOON_MS = 5_000;
let soon: number | undefined;

/** Also where nobody notices that the connection was gone and is back. */
function deliverSoon(): void {
  soon ??= window.setTimeout(() => {
    soon = undefined;
    void deliverAgain();
  }, SOON_MS);
}

/** Everything that did not arrive because nobody answered, once more and in order. */
export async function deliverAgain(): Promise<void> {
  for (const item of outbox.value) {
    if (!item.trouble || item.trouble.unreachable) await deliver(item.key);
  }
}

/** The log may tell us of our own words before the request for them is answered. */
export function hearOwn(messages: readonly Message[]): void {
  for (const message of messages) {
    if (message.actorId !== selfId.value) continue;
    const match = outbox.value.find((item) => item.channelId === message.channelId && item.text.trim() === message.text.trim());
    if (match && underway.has(match.key)) discard(match.key);
  }
}
