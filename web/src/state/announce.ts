// One sentence at a time for people who hear the page, and short notices for everyone.
import { signal } from "@preact/signals";
import type { Trouble } from "../api/client";

export const spoken = signal("");

export function announce(sentence: string): void {
  // The same sentence twice in a row would not be read again without a change.
  spoken.value = sentence === spoken.value ? `${sentence}\u00a0` : sentence;
}

export interface Notice {
  id: number;
  text?: string;
  trouble?: Trouble;
}

export const notices = signal<readonly Notice[]>([]);
let last = 0;

export const dismiss = (id: number): void => {
  notices.value = notices.value.filter((notice) => notice.id !== id);
};

export function notify(notice: Omit<Notice, "id">): void {
  const id = ++last;
  notices.value = [...notices.value.slice(-2), { ...notice, id }];
  // What went wrong stays until it is read; the rest leaves by itself.
  if (!notice.trouble) setTimeout(() => dismiss(id), 5_000);
}
