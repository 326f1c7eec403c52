// Recall, facts and state.
import type { Page } from "./types";
import { query, request } from "./client";

export interface Hit {
  messageId: string;
  feedItemId: string | null;
  channelId: string;
  actorId: string;
  kind: string;
  pieces: { text: string; match: boolean }[];
  score: number;
  ts: string;
}

export interface Fact {
  id: string;
  subject: string;
  predicate: string;
  object: string;
  channelId: string;
  validFrom: string;
  validTo: string | null;
  knownSince: string;
  sources: string[];
  saidBy: string[];
  supersededBy: string | null;
  contradicts: string[];
}

export interface State {
  channelId: string;
  version: number;
  markdown: string;
  sources: string[];
  messageId: string | null;
  ts: string | null;
}

export const brainApi = {
  facts: (subject: string, at: string, asOf: string) => request<Page<Fact>>("GET", `/api/brain/facts${query({ subject, at, asOf })}`),
  timeline: (subject: string, asOf: string) => request<Page<Fact>>("GET", `/api/brain/timeline${query({ subject, asOf })}`),
  state: (channelId: string, version: number | null) => request<State>("GET", `/api/brain/state${query({ channelId, version })}`),
  settle: (channelId: string) => request<State>("POST", "/api/brain/state/settle", { channelId }, 60_000),
  recall: (q: string, cursor?: string | null) => request<Page<Hit>>("GET", `/api/brain/recall${query({ q, limit: 20, cursor })}`),
};
