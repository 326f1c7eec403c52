// How Prime is running, and whether this page hears it.
import { signal } from "@preact/signals";
import { api, asTrouble } from "../api/client";
import type { Status } from "../api/types";
import { failed, loading, ready, type Loaded } from "./loaded";
import type { Link } from "./stream";

export const status = signal<Loaded<Status>>(loading);
export const link = signal<Link>("connecting");

export async function loadStatus(): Promise<void> {
  try {
    status.value = ready(await api.status());
  } catch (cause) {
    // What was known before is better than nothing; the link's state says that it may be old.
    if (status.value.state !== "ready") status.value = failed(asTrouble(cause));
  }
}

/** What is used and counted changes with whatever happens, and is told by nobody: it is asked for soon after. */
const SOON_MS = 2_000;
const MEANWHILE_MS = 30_000;
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
}

export function hearStatus(change: Partial<Status>): void {
  if (status.value.state === "ready") status.value = ready({ ...status.value.value, ...change });
}
