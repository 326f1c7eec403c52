// Sentences of the server in the reader's language. The server speaks English; another language has a catalogue of what it
// says, and every code of an error for what is not in it.
import { signal } from "@preact/signals";
import type { Trouble } from "../api/client";

/** A sentence in the reader's language, if it is known there. */
export type Sayings = (sentence: string) => string | null;

export interface Spoken {
  say: Sayings;
  codes: Readonly<Record<string, string>>;
}

/** The language that is spoken now; null for the server's own. */
export const spoken = signal<Spoken | null>(null);

/** Anything the server says to the reader: a reason, a meaning, a problem. */
export const inWords = (sentence: string): string => spoken.value?.say(sentence) ?? sentence;

/** What went wrong. A sentence that is in no catalogue is told by its code, with its own words behind. */
export function troubleInWords(trouble: Trouble): string {
  const { code, message } = trouble;
  const now = spoken.value;
  if (!now || !message) return message;
  return now.say(message) ?? (now.codes[code] ? `${now.codes[code]} ${message}` : message);
}
