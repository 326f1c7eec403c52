// A turn that came to nothing can be tried again: once, and only the last one of a channel.
import type { Message } from "../api/types";

interface TurnBody {
  op?: string;
  step?: string;
  turnId?: string;
}

const turnBody = (message: Message): TurnBody => (message.body ?? {}) as TurnBody;

/** The message that says how the last turn among these ended, if nothing has become of it. */
export function lastFailed(messages: readonly Message[]): string | null {
  const last = messages.findLast((message) => turnBody(message).turnId);
  if (last?.kind !== "system") return null;
  const { op, step } = turnBody(last);
  return op === "turn" && step === "ended" ? last.id : null;
}
