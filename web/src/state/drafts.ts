// What Prime wants to send as the owner and has not sent.
import { signal } from "@preact/signals";
import { asTrouble } from "../api/client";
import { everyPage } from "../api/everyPage";
import { gateApi, type Draft } from "../api/gate";
import { failed, loading, ready, valueOr, type Loaded } from "./loaded";

export const drafts = signal<Loaded<readonly Draft[]>>(loading);

const waits = (draft: Draft): boolean => draft.status === "pending" || draft.status === "sending" || draft.status === "uncertain";

export const waitingDrafts = (): readonly Draft[] => valueOr(drafts.value, []);

export async function loadDrafts(): Promise<void> {
  try {
    const pages = await Promise.all(["pending", "sending", "uncertain"].map((status) => everyPage((cursor) => gateApi.drafts(status, cursor))));
    drafts.value = ready(pages.flat().sort((a, b) => a.createdAt.localeCompare(b.createdAt)));
  } catch (cause) {
    if (drafts.value.state !== "ready") drafts.value = failed(asTrouble(cause));
  }
}

export function hearDraft(draft: Draft): void {
  const others = waitingDrafts();
  const at = others.findIndex((other) => other.id === draft.id);
  if (!waits(draft)) drafts.value = ready(others.filter((other) => other.id !== draft.id));
  else if (at < 0) drafts.value = ready([...others, draft]);
  else drafts.value = ready(others.with(at, draft));
}
