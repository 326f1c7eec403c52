// The shapes of Prime's JSON API, as the server sends them.

export type Tier = "team" | "business_relation" | "external";
export type ChannelKind = "dm" | "group";

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

export interface Status {
  version: string;
  running: boolean;
  pausedBecause: string | null;
  /** What the pause is: the owner's, the auto-stop's or a spent cap's. */
  pausedCode?: string | null;
  model: string;
  autonomyMode: string;
  calls: { used: number; cap: number };
  images: { used: number; cap: number };
  spend: { inputTokens: number; outputTokens: number; dollars: number; priced: boolean };
  counters: { autoResolved: number; asked: number; answered: number; rules: number };
  open: boolean;
}

export interface Channel {
  id: string;
  kind: ChannelKind;
  name: string;
  tier: Tier;
  members: string[];
  course: number;
  lastMessageAt: string | null;
  unread: number;
  priming: { scriptRefs: string[]; showInUi: boolean } | null;
  /** Whether the owner has paused it alone. */
  paused?: boolean;
  /** Whether somebody speaks there by itself, so that there is something to pause. */
  driven?: boolean;
  /** How what was said last begins. */
  lastWords?: string | null;
}

export interface Attachment {
  id: string;
  name: string;
  mimeType: string;
  size: number;
  noteMessageId: string | null;
}

export interface NewChannel {
  name: string;
  kind: ChannelKind;
  tier: Tier;
  members?: string[];
  brief?: string;
  priming?: { scriptRefs: string[]; showInUi: boolean };
}

export interface Message {
  id: string;
  channelId: string;
  actorId: string;
  kind: string;
  text: string;
  body: unknown;
  ts: string;
  sources?: string[];
  seq?: number;
}

export interface Actor {
  id: string;
  name: string;
  kind: "human" | "agent";
  connector: string;
  online: boolean;
}

export interface FeedItem {
  id: string;
  type: "surfaced" | "auto_resolved";
  title: string;
  text: string;
  tier: Tier;
  channelId: string | null;
  sources: string[];
  ts: string;
  reason?: string;
  ruleId?: string | null;
  question?: string;
  removed?: string[];
}

export interface Question {
  id: string;
  kind: "decision" | "approval";
  text: string;
  context: string;
  necessity: number;
  reason: string;
  suggestions: string[];
  call: Record<string, unknown> | null;
  status: "pending" | "snoozed" | "answered" | "expired";
  sources: string[];
  channelId: string;
  askedAt: string;
  snoozedUntil?: string | null;
}

export type Answer = { text: string; makeRule?: string | boolean } | { choice: "yes" | "no" | "always"; pattern?: string };

/** Words that are being written right now. Not logged, so they carry no id. */
export interface Turn {
  channelId: string;
  actorId: string;
  turnId?: string;
  state?: "thinking" | "speaking" | "calling" | "waiting" | "ended";
  text?: string;
  done?: boolean;
}

export const HUB = "ch_hub";
export const OWNER = "act_owner";
export const PRIME = "act_prime";
