// Who is writing right now, by channel. A turn that falls silent is taken away, because nobody promises its end.
import { signal } from "@preact/signals";
import type { Turn } from "../api/types";

const SILENCE_MS = 20_000;

export const turns = signal<ReadonlyMap<string, Turn>>(new Map());
const timers = new Map<string, number>();

const keyOf = (turn: { channelId: string; actorId: string }): string => `${turn.channelId} ${turn.actorId}`;

export function endTurn(turn: { channelId: string; actorId: string }): void {
  const key = keyOf(turn);
  clearTimeout(timers.get(key));
  timers.delete(key);
  if (!turns.value.has(key)) return;
  const rest = new Map(turns.value);
  rest.delete(key);
  turns.value = rest;
}

export function hearTurn(turn: Turn): void {
  if (turn.done) return endTurn(turn);
  const key = keyOf(turn);
  clearTimeout(timers.get(key));
  timers.set(key, window.setTimeout(() => endTurn(turn), SILENCE_MS));
  turns.value = new Map(turns.value).set(key, turn);
}

export const turnsIn = (channelId: string): Turn[] => [...turns.value.values()].filter((turn) => turn.channelId === channelId);
