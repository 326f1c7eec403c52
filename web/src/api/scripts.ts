// Startup scripts and what a dialog is made of.
import type { Channel } from "./types";
import { channelPath, query, request } from "./client";

export interface Script {
  scriptRef: string;
  title: string | null;
  path: string;
  records: number;
  warnings: string[];
}

export interface Scripts {
  items: Script[];
  warningSummary: { skippedCount: number; samples: { path: string; error: string }[] };
  more: boolean;
}

export interface ContextView {
  channelId: string;
  course: number;
  agentId: string;
  model: string;
  budget: number;
  tokens: number;
  parts: { name: string; kind: "document" | "history"; tokens: number }[];
  document: string;
  messages: number;
  leftOut: boolean;
  request: Record<string, unknown>;
}

export interface ScriptProblem {
  line: number;
  column: number;
  message: string;
  expected: string | null;
  hint: string | null;
}

export interface CheckedScript {
  title?: string | null;
  records: { type: string; text: string }[];
  problem: ScriptProblem | null;
}

export interface ScriptFile extends CheckedScript {
  scriptRef: string;
  path: string;
  text: string;
}

/** How a provider's requests are written. */
export const SHAPES = ["openai", "anthropic", "gemini"] as const;
export type Shape = (typeof SHAPES)[number];

/** Plain downloads: the browser shows how far they have come. */
export const archivePath = (channelId: string, format: Shape): string => `${channelPath(channelId)}/archive${query({ format })}`;
export const dialogsPath = (channelId: string | null, redact: boolean): string => `/api/dialogs/export${query({ channelId, redact })}`;

export const scriptsApi = {
  show: (scriptRef: string) => request<ScriptFile>("GET", `/api/priming/script${query({ scriptRef })}`),
  check: (text: string) => request<CheckedScript>("POST", "/api/priming/check", { text }),
  search: (q: string, agentId?: string) => request<Scripts>("GET", `/api/priming/scripts${query({ q, agentId })}`),
  recent: (agentId: string) => request<Scripts>("GET", `/api/priming/recent${query({ agentId })}`),
  save: (channelId: string, slug: string, overwrite: boolean) =>
    request<{ scriptRef: string; path: string }>("POST", "/api/priming/save-current-course", { channelId, slug, overwrite }),
  context: (channelId: string, format: Shape) => request<ContextView>("GET", `${channelPath(channelId)}/context${query({ format })}`),
  course: (channelId: string, course?: number) => request<Channel>("POST", `${channelPath(channelId)}/courses`, course ? { course } : {}),
};
