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

export const brainApi = {
  recall: (q: string, cursor?: string | null) => request<Page<Hit>>("GET", `/api/brain/recall${query({ q, limit: 20, cursor })}`),
};
