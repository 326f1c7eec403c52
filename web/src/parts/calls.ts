// A tool call and its result are two messages of the log and one thing to a person.
import type { Message } from "../api/types";

interface CallBody {
  callId?: string;
  name?: string;
  arguments?: Record<string, unknown>;
  isError?: boolean;
  durationMs?: number;
}

export const callBody = (message: Message): CallBody => (message.body ?? {}) as CallBody;

export const callId = (message: Message): string => (message.kind === "tool_call" || message.kind === "tool_result" ? (callBody(message).callId ?? "") : "");

const found = new WeakMap<readonly Message[], ReadonlyMap<string, Message>>();

/** The results among these messages, by the id of their call, where the call is among them, too. */
export function resultsIn(messages: readonly Message[]): ReadonlyMap<string, Message> {
  const known = found.get(messages);
  if (known) return known;
  const calls = new Set(messages.filter((message) => message.kind === "tool_call").map(callId));
  const results = new Map<string, Message>();
  for (const message of messages) {
    if (message.kind === "tool_result" && calls.has(callId(message))) results.set(callId(message), message);
  }
  found.set(messages, results);
  return results;
}
