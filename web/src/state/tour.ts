// The first steps with Prime. They are taken in the product itself: each is done when it has really happened.
import { computed, effect, signal } from "@preact/signals";
import { brainApi } from "../api/brain";
import { conversation, loadOnEntering } from "./conversation";
import { kept } from "./kept";
import { valueOr } from "./loaded";
import { isGuest } from "./me";
import { place } from "./place";
import { status } from "./status";
import { HUB, OWNER } from "../api/types";

export const STEPS = ["say", "room", "answer", "rule", "quieter"] as const;
export type Step = (typeof STEPS)[number];

const ENDED = "ended";
const remembered = signal(kept.read("tour") ?? "");
const seen = signal<ReadonlySet<string>>(new Set(remembered.value.split(" ").filter(Boolean)));

function remember(name: string): void {
  seen.value = new Set([...seen.value, name]);
  kept.write("tour", [...seen.value].join(" "));
}

const counters = () => valueOr(status.value, null)?.counters;

const saidHere = (): boolean => conversation(HUB).value.messages.some((message) => message.actorId === OWNER && message.kind === "text");

/** Whether the owner spoke further back than the messages that are loaded; null until that was looked for. */
const saidBefore = signal<boolean | null>(null);

/** Prime may have spoken first, about messages that came in, and more than are loaded. */
const hasSpoken = (): boolean => saidHere() || (!!conversation(HUB).value.older && saidBefore.value !== false);

/** Whether a step was taken, as far as what Prime knows tells. */
function taken(step: Step): boolean {
  const counts = counters();
  if (step === "say") return hasSpoken();
  // Whoever has answered a question of a room has met those who work there.
  if (step === "room") return seen.value.has("room") || (counts?.answered ?? 0) > 0;
  if (step === "answer") return (counts?.answered ?? 0) > 0;
  if (step === "rule") return (counts?.rules ?? 0) > 0;
  return seen.value.has("insight");
}

/** Steps count in their order: looking at an empty war room is not the second one. */
export const stepAt = computed<number>(() => {
  const at = STEPS.findIndex((step) => !taken(step));
  return at < 0 ? STEPS.length : at;
});

const wanted = computed(() => !seen.value.has(ENDED) && !isGuest.value && status.value.state === "ready");

/** What was said in the owner's room tells how far it is; who begins elsewhere has not loaded that room. */
export const touring = computed(() => wanted.value && conversation(HUB).value.loaded);

effect(() => {
  const { loaded, trouble } = conversation(HUB).value;
  if (wanted.value && !loaded && !trouble) loadOnEntering(HUB);
});

/** Prime looks for what it cannot see here, once. */
let looking = false;
effect(() => {
  if (looking || !touring.value || saidHere() || !conversation(HUB).value.older) return;
  looking = true;
  brainApi.recall(`from:${OWNER} in:${HUB} kind:text`).then(
    ({ items }) => (saidBefore.value = items.length > 0),
    () => (looking = false),
  );
});

/** Whether the next step is an answer that becomes a rule. */
export const ruleIsNext = computed(() => touring.value && (STEPS[stepAt.value] === "answer" || STEPS[stepAt.value] === "rule"));

export const endTour = (): void => remember(ENDED);

export function beginTour(): void {
  seen.value = new Set();
  kept.write("tour", "");
}

/** Looks are remembered once there is something to look at. Any room shows who works there, not only the map of all. */
effect(() => {
  const at = place.value;
  const look = at.view === "channel" && at.channelId !== HUB ? "room" : at.view;
  const spoken = taken("say");
  if ((look === "room" || look === "insight") && spoken && !seen.value.has(look)) remember(look);
});

/** Whoever has worked with Prime before, in another browser perhaps, needs no tour. */
let looked = false;
effect(() => {
  const counts = counters();
  if (!counts || looked) return;
  looked = true;
  if (counts.rules > 0 && counts.answered > 1) remember(ENDED);
});
