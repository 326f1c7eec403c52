// Tools: what there is, what a call would do, and doing it.
import type { Page } from "./types";
import { query, request } from "./client";

export interface Effects {
  filesystem?: { read?: boolean; write?: boolean; delete?: boolean };
  network?: boolean;
  subprocess?: boolean;
  idempotent?: boolean;
  reversible?: boolean;
  destructive?: boolean;
  creates?: string[];
  modifies?: string[];
  deletes?: string[];
  cost?: { billable?: boolean; estimate?: string };
  duration?: { typical?: string; timeout?: string };
}

export interface Schema {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  default?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
}

export interface Tool {
  name: string;
  command: string[];
  description: string;
  parameters: Schema;
  effects: Effects;
  runtime: string;
  trust: { source?: string; verified?: boolean; checksum?: unknown };
}

export interface Scanned {
  tools: number;
  counts: Record<string, number>;
  asked: number;
}

export interface ScanProgress {
  running: boolean;
  done: number;
  of: number;
}

export interface Preview {
  words: string[];
  verdict: "allow" | "ask" | "deny";
  reasons: { verdict: string; code: string; text: string; nextStep?: string }[];
}

export interface Result {
  callId: string;
  tool: string;
  content: { type: string; text?: string; json?: unknown }[];
  isError: boolean;
  exitCode?: number | null;
  durationMs: number;
  structuredContent?: unknown;
  log?: string;
  approvedBy?: string;
  notes?: string[];
  error?: { code: string; message: string; hint?: string };
}

export interface Step {
  id: string;
  tool: string;
  arguments: Record<string, unknown>;
  depends: string[];
}

export interface StepDone {
  id: string;
  result: Result | null;
  error: { code: string; message: string; hint?: string | null } | null;
}

export interface Standing {
  id: string;
  tool: string;
  line: string;
  folder: string;
  pattern: string | null;
}

export type Wanted = "read_only" | "destructive" | "network" | "write" | "billable" | "subprocess";

export interface Filter {
  /** What a tool must do, and what it must be known not to do. */
  effect: Wanted | "";
  without: Wanted | "";
}

const path = (name: string): string => `/api/tools/${encodeURIComponent(name)}`;
const AGENT = "act_owner";
// One session for this visit: what is primed for it stays so.
const SESSION = `page-${crypto.randomUUID()}`;
let primed: Promise<unknown> | null = null;

/** The page is an agent like another: it primes before its first call. */
const prime = (): Promise<unknown> =>
  (primed ??= request("POST", "/api/tools/prime", { agentId: AGENT, sessionId: SESSION }).catch((cause: unknown) => {
    primed = null;
    throw cause;
  }));

export const toolsApi = {
  list: (q: string, { effect, without }: Filter, cursor?: string | null) =>
    request<Page<Tool>>("GET", `/api/tools${query({ q, limit: 60, effect, without, cursor })}`),
  get: (name: string) => request<Tool>("GET", path(name)),
  scanned: () => request<ScanProgress>("GET", "/api/tools/scan"),
  scan: () => request<Scanned>("POST", "/api/tools/scan", undefined, 600_000),
  preview: (name: string, args: Record<string, unknown>) => request<Preview>("POST", `${path(name)}/preview`, { arguments: args }),
  call: async (name: string, args: Record<string, unknown>): Promise<Result> => {
    await prime();
    const given = { arguments: args, sessionId: SESSION, agentId: AGENT, waitMs: 600_000 };
    return request<Result>("POST", `${path(name)}/call`, given, 660_000);
  },
  batch: async (steps: readonly Step[]): Promise<StepDone[]> => {
    await prime();
    const calls = steps.map(({ id, tool, arguments: given, depends }) => ({ tool_call: { id, params: { tool_name: tool, arguments: { ...given, ...(depends.length ? { depends } : {}) } } } }));
    const body = { tool_calls: calls, sessionId: SESSION, agentId: AGENT, waitMs: 600_000 };
    return (await request<{ items: StepDone[] }>("POST", "/api/tools/batch", body, 660_000)).items;
  },
  standing: () => request<Page<Standing>>("GET", "/api/approvals"),
  changeStanding: (id: string, pattern: string) => request<Standing>("PATCH", `/api/approvals/${encodeURIComponent(id)}`, { pattern }),
  revoke: (id: string) => request<{ ok: boolean }>("DELETE", `/api/approvals/${encodeURIComponent(id)}`),
};
