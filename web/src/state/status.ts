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

export function hearStatus(change: Partial<Status>): void {
  if (status.value.state === "ready") status.value = ready({ ...status.value.value, ...change });
}
