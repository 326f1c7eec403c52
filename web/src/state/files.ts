// Files that are known by more than their id: those uploaded here, and those that a note was written about.
import { signal } from "@preact/signals";
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

export const fileUrl = (id: string): string => `/api/attachments/${encodeURIComponent(id)}`;
