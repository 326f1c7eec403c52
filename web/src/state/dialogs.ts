// Which dialog is open, if any, and what it is about.
import { signal } from "@preact/signals";
import type { Message } from "../api/types";

export type Dialog = "palette" | "shortcuts" | "new-channel" | "about" | "keep-course" | "context" | "close-channel" | "publish" | "channel" | "courses" | "erase";
export const dialog = signal<Dialog | null>(null);

/** Set to put text into the compose box of the open channel, by an example for instance. */
export const suggestedText = signal<{ text: string } | null>(null);
/** The startup script that the form for a new channel begins with. */
export const wantedScript = signal<string | null>(null);

export interface ToPublish {
  channelId: string;
  attachmentIds: readonly string[];
}

/** The files that the form for publishing is about. */
export const toPublish = signal<ToPublish | null>(null);

export function beginPublishing(wanted: ToPublish): void {
  toPublish.value = wanted;
  dialog.value = "publish";
}

/** The message that the form for erasing is about. */
export const toErase = signal<Message | null>(null);

export function beginErasing(message: Message): void {
  toErase.value = message;
  dialog.value = "erase";
}

export function writeMessage(): void {
  document.querySelector<HTMLTextAreaElement>("#compose")?.focus();
}

export function beginDialogWith(scriptRef: string): void {
  wantedScript.value = scriptRef;
  dialog.value = "new-channel";
}
