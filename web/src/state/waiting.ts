// What waits for the owner, and what was settled without them.
import { signal } from "@preact/signals";
import { api, asTrouble } from "../api/client";
import { everyPage } from "../api/everyPage";
import type { Answer, FeedItem, Question } from "../api/types";
import { waitingDrafts } from "./drafts";
import { kept } from "./kept";
import { loadStatus } from "./status";
import { failed, loading, ready, valueOr, type Loaded } from "./loaded";

export interface Feed {
  items: readonly FeedItem[];
  older: string | null;
}

export const questions = signal<Loaded<readonly Question[]>>(loading);
/** Put off by the owner, until their time comes. */
export const snoozed = signal<readonly Question[]>([]);
export const feed = signal<Loaded<Feed>>(loading);

export type FeedFilter = "all" | FeedItem["type"];
export const FILTERS: readonly FeedFilter[] = ["all", "surfaced", "auto_resolved"];
export const feedFilter = signal<FeedFilter>(FILTERS.find((each) => each === kept.read("feed")) ?? "all");

export function showInFeed(filter: FeedFilter): void {
  feedFilter.value = filter;
  kept.write("feed", filter === "all" ? "" : filter);
}

export const waitingCount = (): number => valueOr(questions.value, []).length + waitingDrafts().length;

export async function loadQuestions(): Promise<void> {
  try {
    const [waiting, later] = await Promise.all((["pending", "snoozed"] as const).map((status) => everyPage((cursor) => api.questions(status, cursor))));
    // The longest waiting first: what comes while somebody looks is put behind the others.
    questions.value = ready(waiting!.sort((a, b) => a.askedAt.localeCompare(b.askedAt)));
    snoozed.value = later!;
  } catch (cause) {
    if (questions.value.state !== "ready") questions.value = failed(asTrouble(cause));
  }
}

export async function loadFeed(): Promise<void> {
  try {
    const page = await api.feed();
    feed.value = ready({ items: page.items, older: page.nextCursor });
  } catch (cause) {
    const trouble = asTrouble(cause);
    // A server without a feed has nothing to show in it.
    if (feed.value.state !== "ready") feed.value = trouble.status === 404 ? ready({ items: [], older: null }) : failed(trouble);
  }
}

export async function loadOlderFeed(): Promise<void> {
  if (feed.value.state !== "ready" || !feed.value.value.older) return;
  const before = feed.value.value;
  const page = await api.feed(before.older);
  const known = new Set(before.items.map((item) => item.id));
  feed.value = ready({ items: [...before.items, ...page.items.filter((item) => !known.has(item.id))], older: page.nextCursor });
}

export function hearQuestion(question: Question): void {
  const others = valueOr(questions.value, []);
  const at = others.findIndex((other) => other.id === question.id);
  const putOff = snoozed.value.filter((other) => other.id !== question.id);
  snoozed.value = question.status === "snoozed" ? [...putOff, question] : putOff;
  if (question.status !== "pending") questions.value = ready(others.filter((other) => other.id !== question.id));
  else if (at < 0) questions.value = ready([...others, question]);
  else questions.value = ready(others.with(at, question));
}

export function hearFeed(item: FeedItem): void {
  const { items, older } = valueOr(feed.value, { items: [], older: null });
  feed.value = ready({ items: [item, ...items.filter((other) => other.id !== item.id)], older });
}

/** Where an answer that is not sent yet is kept. */
export const unsentAnswer = (id: string): string => `answer:${id}`;

export async function answerQuestion(id: string, answer: Answer): Promise<{ rule?: { text: string } | null }> {
  const answered = await api.answer(id, answer);
  kept.write(unsentAnswer(id), "");
  questions.value = ready(valueOr(questions.value, []).filter((question) => question.id !== id));
  snoozed.value = snoozed.value.filter((question) => question.id !== id);
  // What was answered and learned counts at once; the next news of it may take a while.
  void loadStatus();
  return answered;
}
