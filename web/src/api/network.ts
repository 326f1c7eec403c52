// The directory: who is out there, and getting in touch.
import type { Page, Tier } from "./types";
import { query, request } from "./client";

export interface Agent {
  agentId: string;
  name: string;
  kind: string;
  capabilities: string[];
  endpoint: string;
  owner: string | null;
  online: boolean;
  lastSeenAt: string | null;
  lastAnsweredAt: string | null;
  registeredAt: string;
}

interface Listed extends Page<Agent> {
  count: number;
}

interface Contacted {
  agentId: string;
  channelId: string;
}

export const networkApi = {
  agents: (q: string, cursor?: string | null) =>
    request<Listed>("GET", q ? `/api/directory/search${query({ q, limit: 60, cursor })}` : `/api/directory/agents${query({ limit: 60, cursor })}`),
  connect: (url: string, tier: Tier) => request<Contacted>("POST", "/api/directory/connect", { url, tier }, 45_000),
  contact: (agentId: string, tier: Tier) => request<Contacted>("POST", "/api/directory/contact", { agentId, tier }, 45_000),
  remove: (agentId: string) => request<{ ok: boolean }>("POST", "/api/directory/deregister", { agentId }),
};
