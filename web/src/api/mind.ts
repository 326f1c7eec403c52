// Which mind Prime has, and connecting a model.
import { request } from "./client";

export interface MindNow {
  name: string;
  reason: string;
}

export interface Tried {
  name: string;
  ok: boolean;
  text: string;
}

export interface ModelChoice {
  model: string;
  key?: string;
  baseUrl?: string;
}

const PATIENCE = 60_000;

export const mindApi = {
  now: () => request<MindNow>("GET", "/api/mind"),
  attempt: (choice: ModelChoice) => request<Tried>("POST", "/api/mind/try", choice, PATIENCE),
  connect: (choice: ModelChoice) => request<MindNow>("PUT", "/api/mind", choice, PATIENCE),
  leave: () => request<MindNow>("DELETE", "/api/mind", undefined, PATIENCE),
};
