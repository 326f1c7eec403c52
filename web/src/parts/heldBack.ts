// What the clamp kept from a channel, as the log has it: sentences, and facts of a brief as “name: value”.
import type { Message } from "../api/types";

export interface Held {
  sentence: string;
  category: string;
}

const FACT = /^[a-z_]+(?::[^:]*)?: /;

/** What to show of it: a fact by its value, unless a sentence that was kept says it already. Null for another message. */
export function heldBack(message: Pick<Message, "body">): Held[] | null {
  const { op, removed } = (message.body ?? {}) as { op?: string; removed?: Held[] };
  if (op !== "held_back" || !Array.isArray(removed)) return null;
  const sentences = removed.filter(({ sentence }) => !FACT.test(sentence));
  const facts = removed.filter(({ sentence }) => FACT.test(sentence)).map(({ sentence, category }) => ({ sentence: sentence.replace(FACT, ""), category }));
  // The longest first: it may hold the others.
  facts.sort((a, b) => b.sentence.length - a.sentence.length);
  const shown = [...sentences];
  for (const fact of facts) if (!shown.some(({ sentence }) => sentence.includes(fact.sentence))) shown.push(fact);
  return shown;
}
