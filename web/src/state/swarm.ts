// Everything pauses at once, and goes on where it stopped.
import { asTrouble } from "../api/client";
import { hubApi } from "../api/hub";
import { notify } from "./announce";
import { inOrder } from "./channels";
import { ready, valueOr } from "./loaded";
import { status } from "./status";

export const isRunning = (): boolean => valueOr(status.value, null)?.running === true;

/** How many rooms go on by themselves right now. */
export function roomsAtWork(): number {
  if (!isRunning()) return 0;
  return inOrder.value.filter((channel) => channel.driven && !channel.paused).length;
}

export async function switchSwarm(): Promise<void> {
  if (status.value.state !== "ready") return;
  try {
    status.value = ready(await (status.value.value.running ? hubApi.pause() : hubApi.resume()));
  } catch (cause) {
    notify({ trouble: asTrouble(cause) });
  }
}
