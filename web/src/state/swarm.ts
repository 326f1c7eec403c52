// Everything pauses at once, and goes on where it stopped.
import { asTrouble } from "../api/client";
import { hubApi } from "../api/hub";
import type { Status } from "../api/types";
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

export const switchSwarm = (): Promise<void> => turn((running) => (running ? hubApi.pause() : hubApi.resume()));

/** What may be spent is counted from nothing, and everything goes on. */
export const beginNewCount = (): Promise<void> => turn(() => hubApi.resume(true));

async function turn(way: (running: boolean) => Promise<Status>): Promise<void> {
  if (status.value.state !== "ready") return;
  try {
    status.value = ready(await way(status.value.value.running));
  } catch (cause) {
    notify({ trouble: asTrouble(cause) });
  }
}
