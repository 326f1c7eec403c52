// Who is signed in, on which devices, who was invited, and notifications.
import type { Language } from "../words";
import type { Page } from "./types";
import { request } from "./client";

export interface Me {
  role: "owner" | "guest" | "operator" | "nobody";
  open?: boolean;
  sessionId?: string | null;
  name?: string | null;
  actorId?: string | null;
  channelIds?: string[];
}

export interface Session {
  id: string;
  role: "owner" | "guest";
  /** A guest's. */
  name: string | null;
  device: string;
  createdAt: string;
  seenAt: string;
  expiresAt: string;
  current: boolean;
}

export interface Guest {
  id: string;
  name: string;
  email: string | null;
  actorId: string;
  ghost: boolean;
  channelIds: string[];
  createdAt: string;
  acceptedAt: string | null;
  linkExpiresAt: string | null;
}

export interface Device {
  id: string;
  device: string;
  createdAt: string;
  sentAt: string | null;
  failures: number;
  current: boolean;
}

/** What became of a test, in devices. */
export interface Tested {
  sent: number;
  failed: number;
  /** Of those that take no notifications any more, and are forgotten now. */
  pruned: number;
}

interface Invited {
  guest: Guest;
  url: string;
  mailed: boolean;
}

const guestPath = (id: string): string => `/api/invites/${encodeURIComponent(id)}`;

export const accountApi = {
  me: () => request<Me>("GET", "/api/auth/me"),
  requestLink: (email: string) => request<{ ok: boolean }>("POST", "/api/auth/request", { email }),
  logOut: () => request<{ ok: boolean }>("POST", "/api/auth/logout"),
  sessions: () => request<Page<Session>>("GET", "/api/auth/sessions"),
  endSession: (id: string) => request<{ ok: boolean }>("DELETE", `/api/auth/sessions/${encodeURIComponent(id)}`),
  endOthers: () => request<{ ended: number }>("DELETE", "/api/auth/sessions"),
  guests: () => request<Page<Guest>>("GET", "/api/invites"),
  invite: (name: string, channelIds: string[], email: string) =>
    request<Invited>("POST", "/api/invites", { name, channelIds, ...(email ? { email } : {}) }),
  letClaim: (actorId: string, email: string, channelIds: string[]) => request<Guest>("POST", "/api/ghosts", { actorId, email, channelIds }),
  grant: (id: string, channelIds: string[]) => request<Guest>("PUT", `${guestPath(id)}/channels`, { channelIds }),
  renew: (id: string) => request<Invited>("POST", `${guestPath(id)}/link`),
  removeGuest: (id: string) => request<{ ok: boolean }>("DELETE", guestPath(id)),
  acceptInvite: (token: string) => request<{ channelIds: string[] }>("POST", "/api/invite/accept", { token }),
  pushKey: () => request<{ key: string }>("GET", "/api/push/key"),
  subscribe: (subscription: PushSubscriptionJSON & { language: Language }) => request<Device>("POST", "/api/push/subscribe", subscription),
  unsubscribe: (endpoint: string) => request<{ ok: boolean }>("POST", "/api/push/unsubscribe", { endpoint }),
  devices: () => request<Page<Device>>("GET", "/api/push/devices"),
  forgetDevice: (id: string) => request<{ ok: boolean }>("DELETE", `/api/push/devices/${encodeURIComponent(id)}`),
  testPush: () => request<Tested>("POST", "/api/push/test", undefined, 60_000),
};
