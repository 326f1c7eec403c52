// The instance itself: variables, secrets, backups.
import type { Page } from "./types";
import { request } from "./client";

export interface Setting {
  name: string;
  value: string | number | boolean | null;
  source: "default" | "environment" | "command" | "live";
  meaning: string;
  kind?: string;
  choices?: string[];
  /** Whether it may be changed while Prime runs. */
  live?: boolean;
}

export interface Secret {
  name: string;
  set: boolean;
  since: string | null;
  lastUsed: string | null;
}

export interface Backup {
  name: string;
  size: number;
  createdAt: string;
}

export interface Erased {
  messageIds: string[];
  attachmentIds: string[];
  /** Backups that still hold what was erased. */
  backups: string[];
}

export interface Rebuilding {
  running: boolean;
  name: string | null;
  done: number;
  of: number;
}

const secretPath = (name: string): string => `/api/secrets/${encodeURIComponent(name)}`;

export const instanceApi = {
  settings: () => request<Page<Setting>>("GET", "/api/settings"),
  change: (name: string, value: string | number | boolean | null) => request<Page<Setting>>("PUT", "/api/settings", { values: { [name]: value } }),
  secrets: () => request<Page<Secret>>("GET", "/api/secrets"),
  putSecret: (name: string, value: string) => request<Secret>("PUT", secretPath(name), { value }),
  forgetSecret: (name: string) => request<Secret>("DELETE", secretPath(name)),
  backups: () => request<Page<Backup>>("GET", "/api/admin/backups"),
  backUp: (wanted: { full?: boolean; passphrase?: string }) => request<Backup>("POST", "/api/admin/backup", wanted, 600_000),
  erase: (messageIds: readonly string[]) => request<Erased>("POST", "/api/admin/erase", { messageIds }, 120_000),
  rebuild: () => request<{ names: string[]; repaired: string[]; messages: number }>("POST", "/api/admin/rebuild", {}, 600_000),
  rebuilding: () => request<Rebuilding>("GET", "/api/admin/rebuild"),
};
