// Files that are known by more than their id: those uploaded here, and those that a note was written about.
import { signal } from "@preact/signals";
import { api } from "../api/client";
import type { Attachment, Message } from "../api/types";

export interface KnownFile {
  id: string;
  name: string;
  mimeType: string;
  size: number;
}

export const files = signal<ReadonlyMap<string, KnownFile>>(new Map());

export function knowFile({ id, name, mimeType, size }: KnownFile | Attachment): void {
  if (!files.value.has(id)) files.value = new Map(files.value).set(id, { id, name, mimeType, size });
}

interface Carrying {
  attachmentIds?: unknown;
  attachmentId?: unknown;
}

/** The files that a message carries. */
export function filesOf(message: Message): string[] {
  const { attachmentIds, attachmentId } = (message.body ?? {}) as Carrying;
  const ids = Array.isArray(attachmentIds) ? attachmentIds : attachmentId ? [attachmentId] : [];
  return ids.filter((id): id is string => typeof id === "string");
}

const asked = new Set<string>();

/** What is known of a file; asked for once when it is not known yet. */
export function fileOf(id: string): KnownFile | undefined {
  const known = files.value.get(id);
  if (!known && !asked.has(id)) {
    asked.add(id);
    api.attachment(id).then(knowFile, () => {
      // A file that was removed is shown by its bare link, which says so.
    });
  }
  return known;
}

export const fileUrl = (id: string): string => `/api/attachments/${encodeURIComponent(id)}`;
