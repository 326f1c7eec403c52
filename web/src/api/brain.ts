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
  facts: (subject: string, at: string) => request<Page<Fact>>("GET", `/api/brain/facts${query({ subject, at })}`),
  timeline: (subject: string) => request<Page<Fact>>("GET", `/api/brain/timeline${query({ subject })}`),
  state: (channelId: string) => request<State>("GET", `/api/brain/state${query({ channelId })}`),
  recall: (q: string, cursor?: string | null) => request<Page<Hit>>("GET", `/api/brain/recall${query({ q, limit: 20, cursor })}`),
};
