// Everything pauses at once, and goes on where it stopped.
import { asTrouble } from "../api/client";
import { hubApi } from "../api/hub";
import { notify } from "./announce";
import { ready } from "./loaded";
import { status } from "./status";

export async function switchSwarm(): Promise<void> {
  if (status.value.state !== "ready") return;
  try {
    status.value = ready(await (status.value.value.running ? hubApi.pause() : hubApi.resume()));
  } catch (cause) {
    notify({ trouble: asTrouble(cause) });
  }
}
