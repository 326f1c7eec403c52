// How Prime is running, and whether this page hears it.
import { signal } from "@preact/signals";
import { api, asTrouble } from "../api/client";
import type { Status } from "../api/types";
import { failed, loading, ready, type Loaded } from "./loaded";
import type { Link } from "./stream";

export const status = signal<Loaded<Status>>(loading);
export const link = signal<Link>("connecting");

/** Whether Prime answered when it was last asked: a connection can be dead long before the browser notices. */
export const answering = signal(true);

export async function loadStatus(): Promise<void> {
  try {
    status.value = ready(await api.status());
    answering.value = true;
  } catch (cause) {
    const trouble = asTrouble(cause);
    answering.value = !trouble.unreachable;
    // What was known before is better than nothing; the strip says that it may be old.
    if (status.value.state !== "ready") status.value = failed(trouble);
  }
}

/** What is used and counted changes with whatever happens, and is told by nobody: it is asked for soon after. */
const SOON_MS = 2_000;
const MEANWHILE_MS = 30_000;
/** How soon who did not answer is asked again. */
const AGAIN_MS = 3_000;
let asked: number | undefined;

export function loadStatusSoon(): void {
  asked ??= window.setTimeout(() => {
    asked = undefined;
    void loadStatus();
  }, SOON_MS);
}

/** A model or a cap can be changed elsewhere without a word: what is looked at is never old. */
export function keepStatusFresh(): void {
  const look = (): void => {
    if (document.visibilityState === "visible" && link.value === "live") loadStatusSoon();
  };
  addEventListener("visibilitychange", look);
  setInterval(look, MEANWHILE_MS);
  // Gone or back, as the browser has it: Prime itself may be on this machine, and is asked.
  for (const change of ["offline", "online"]) addEventListener(change, () => void loadStatus());
  setInterval(() => !answering.value && void loadStatus(), AGAIN_MS);
}

export function hearStatus(change: Partial<Status>): void {
  if (status.value.state === "ready") status.value = ready({ ...status.value.value, ...change });
}
