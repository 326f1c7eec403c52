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

const secretPath = (name: string): string => `/api/secrets/${encodeURIComponent(name)}`;

export const instanceApi = {
  settings: () => request<Page<Setting>>("GET", "/api/settings"),
  change: (name: string, value: string | number | boolean | null) => request<Page<Setting>>("PUT", "/api/settings", { values: { [name]: value } }),
  secrets: () => request<Page<Secret>>("GET", "/api/secrets"),
  putSecret: (name: string, value: string) => request<Secret>("PUT", secretPath(name), { value }),
  forgetSecret: (name: string) => request<Secret>("DELETE", secretPath(name)),
  backups: () => request<Page<Backup>>("GET", "/api/admin/backups"),
  backUp: () => request<Backup>("POST", "/api/admin/backup", {}, 600_000),
};
