// Who is writing right now, by channel. Prime says every few seconds that a turn goes on; one that falls silent is taken away,
// because nobody promises its end.
import { signal } from "@preact/signals";
import type { Message, Turn } from "../api/types";

const SILENCE_MS = 20_000;
/** Who has answered sooner than this was not waited for; a sign of it would only flicker. */
const SOON_MS = 250;
/** Words that are on their way into the log stay until they are there, so that they do not go out and on again. */
const LAST_WORDS_MS = 1_500;

export const turns = signal<ReadonlyMap<string, Turn>>(new Map());
const timers = new Map<string, number>();
/** Begun, and not shown yet. */
const begun = new Map<string, Turn>();
/** What each turn has said already, as the log has it. */
const logged = new Map<string, string>();

type Whose = Pick<Turn, "channelId" | "actorId">;
const keyOf = ({ channelId, actorId }: Whose): string => `${channelId} ${actorId}`;

function endTurn(whose: Whose): void {
  const key = keyOf(whose);
  clearTimeout(timers.get(key));
  timers.delete(key);
  begun.delete(key);
  logged.delete(key);
  if (!turns.value.has(key)) return;
  const rest = new Map(turns.value);
  rest.delete(key);
  turns.value = rest;
}

function show(turn: Turn, forMs: number): void {
  const key = keyOf(turn);
  const text = turn.text?.trim() === logged.get(key) ? "" : turn.text;
  clearTimeout(timers.get(key));
  begun.delete(key);
  timers.set(key, window.setTimeout(() => endTurn(turn), forMs));
  turns.value = new Map(turns.value).set(key, text === undefined ? turn : { ...turn, text });
}

function begin(turn: Turn): void {
  const key = keyOf(turn);
  if (!begun.has(key)) timers.set(key, window.setTimeout(() => show(begun.get(key) ?? turn, SILENCE_MS), SOON_MS));
  begun.set(key, turn);
}

export function hearTurn(turn: Turn): void {
  const quiet = turn.state === "thinking" && !turn.text && !turns.value.has(keyOf(turn));
  if (!turn.done) return quiet ? begin(turn) : show(turn, SILENCE_MS);
  const shown = turns.value.get(keyOf(turn));
  if (shown?.text) show({ ...shown, done: true }, LAST_WORDS_MS);
  else endTurn(turn);
}

/** Somebody's words are in the log: there they are shown from now on. The turn itself may go on, with a tool perhaps. */
export function hearWords(message: Message): void {
  const shown = turns.value.get(keyOf(message)) ?? begun.get(keyOf(message));
  if (message.kind !== "text" || !shown) return;
  // Only a turn that has a name is told to be over.
  if (shown.done || !shown.turnId) return endTurn(message);
  logged.set(keyOf(message), message.text.trim());
  show(shown, SILENCE_MS);
}

export const turnsIn = (channelId: string): Turn[] => [...turns.value.values()].filter((turn) => turn.channelId === channelId);
