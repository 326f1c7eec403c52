// Which dialog is open, if any.
import { signal } from "@preact/signals";

export type Dialog = "palette" | "shortcuts" | "new-channel" | "about";
export const dialog = signal<Dialog | null>(null);

/** Set to put text into the compose box of the open channel, by an example for instance. */
export const suggestedText = signal<{ text: string } | null>(null);

export function writeMessage(): void {
  document.querySelector<HTMLTextAreaElement>("#compose")?.focus();
}
