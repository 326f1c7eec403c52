// Keys. Single keys never act while somebody types, and can be switched off.
import { signal } from "@preact/signals";
import { inOrder } from "../state/channels";
import { dialog, writeMessage } from "../state/dialogs";
import { kept } from "../state/kept";
import { go, openChannelId, pathToChannel, place } from "../state/place";

export const commandKey = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";

export const singleKeys = signal(kept.read("single-keys") !== "off");

export function setSingleKeys(on: boolean): void {
  kept.write("single-keys", on ? "" : "off");
  singleKeys.value = on;
}

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || isTextInput(target));

const isTextInput = (target: HTMLElement): boolean =>
  target instanceof HTMLInputElement && !["checkbox", "radio", "button", "submit"].includes(target.type);

function stepChannel(by: number): void {
  const all = inOrder.value;
  const at = all.findIndex((channel) => channel.id === openChannelId.value);
  const next = all[at + by];
  if (next) go(pathToChannel(next.id));
}

function stepCard(by: number): void {
  const cards = [...document.querySelectorAll<HTMLElement>(".card[data-card]")];
  const at = cards.findIndex((card) => card.contains(document.activeElement));
  const next = cards[at < 0 ? (by > 0 ? 0 : cards.length - 1) : at + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

const currentCard = (): Element | null => document.activeElement?.closest(".card[data-card]") ?? document.querySelector(".card[data-card]");

/** It takes the focus there, so that the next key can send it. */
function chooseAnswer(number: number): void {
  const answer = currentCard()?.querySelectorAll<HTMLInputElement>("input[type=radio]")[number - 1];
  answer?.click();
  answer?.focus();
}

/** One key for a question that one has turned to; elsewhere it only chooses. */
function chooseAndSend(number: number): void {
  const turnedTo = document.activeElement?.closest(".card[data-card]");
  chooseAnswer(number);
  // The button takes what was chosen with the next drawing.
  if (turnedTo) requestAnimationFrame(finish);
}

/** Done with this one: the answer that was chosen goes out, or the draft is approved. Only for a card that is in focus. */
function finish(): void {
  document.activeElement?.closest(".card[data-card]")?.querySelector<HTMLButtonElement>("[data-done]")?.click();
}

function reply(): void {
  const card = currentCard();
  const field = card?.querySelector<HTMLElement>("textarea");
  if (field) return field.focus();
  compose();
}

function compose(): void {
  if (place.value.view !== "channel") go(pathToChannel(openChannelId.value));
  requestAnimationFrame(writeMessage);
}

const SINGLE: Record<string, () => void> = {
  "?": () => (dialog.value = "shortcuts"),
  c: compose,
  n: () => (dialog.value = "new-channel"),
  j: () => stepCard(1),
  k: () => stepCard(-1),
  e: finish,
  r: reply,
  "/": () => go("/recall"),
  "]": () => stepChannel(1),
  "[": () => stepChannel(-1),
};

/** A dialog that the browser has closed is gone for the person, also before the page has heard of it. */
const inDialog = (): boolean => dialog.value !== null && !document.querySelector("dialog:not([open])");

function leaveField(event: KeyboardEvent): void {
  if (typing(event.target) && !event.isComposing && event.target instanceof HTMLElement) event.target.blur();
}

/** Where a digit itself needs Shift, as on a French keyboard, it chooses as everywhere. */
function actOf({ key, code, shiftKey }: KeyboardEvent): (() => void) | undefined {
  if (/^[1-9]$/.test(key)) return () => chooseAnswer(+key);
  return shiftKey && /^Digit[1-9]$/.test(code) ? () => chooseAndSend(+code.slice(5)) : SINGLE[key];
}

export function onKey(event: KeyboardEvent): void {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    dialog.value = dialog.value === "palette" ? null : "palette";
    return;
  }
  if (inDialog() || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.key === "Escape") return leaveField(event);
  if (!singleKeys.value || typing(event.target)) return;
  const act = actOf(event);
  if (!act) return;
  event.preventDefault();
  act();
}
