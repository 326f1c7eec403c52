// Acting as the owner: drafts, how far Prime may go, connectors.
import type { Page } from "./types";
import { query, request } from "./client";

export interface Draft {
  id: string;
  connector: string;
  kind: string;
  channelId: string;
  text: string;
  title: string;
  status: "pending" | "sending" | "sent" | "rejected" | "uncertain";
  reason: string;
  class: string | null;
  trigger: string;
  edited: boolean;
  copyOnly: boolean;
  result: Record<string, unknown>;
  url: string | null;
  progress: { what: string; done: number; of: number } | null;
  createdAt: string;
  decidedAt: string | null;
  sentAt: string | null;
}

export interface TakenOut {
  sentence: string;
  category: string;
}

export interface LeavingFile {
  path: string;
  mimeType: string;
  size: number;
  attachmentId: string;
  redacted: boolean;
  removed: TakenOut[];
  doubts: TakenOut[];
  text: string | null;
}

export interface Publication {
  connector: string;
  title: string;
  description: string;
  files: { path: string; attachmentId: string }[];
  channelId: string;
}

export interface Autonomy {
  mode: string;
  perConnector: Record<string, string>;
  allowColdContact: boolean;
  modes: string[];
  sources: { mode: string; allowColdContact: string };
  effective: { connector: string; mode: string; source: string }[];
}

export interface ReplyClass {
  id: string;
  connector: string;
  text: string;
  trigger: string;
  taughtAt: string;
  hits: number;
  active: boolean;
}

export interface ConnectorField {
  name: string;
  label: string;
  kind: "text" | "password" | "number" | "choice";
  secret: boolean;
  required: boolean;
  help: string;
  choices: string[];
  value: string | null;
  isSet: boolean;
  since: string | null;
}

export interface Connector {
  name: string;
  kind: "profile" | "publish";
  title: string;
  description: string;
  capabilities: string[];
  settings: ConnectorField[];
  enabled: boolean;
  status: { state: "off" | "asking" | "connecting" | "connected" | "failed"; detail: string; asks: ConnectorField[]; facts: Record<string, string> };
  mode: string;
}

const draftPath = (id: string): string => `/api/drafts/${encodeURIComponent(id)}`;
const connectorPath = (name: string): string => `/api/connectors/${encodeURIComponent(name)}`;

export const gateApi = {
  drafts: (status: string, cursor?: string | null) => request<Page<Draft>>("GET", `/api/drafts${query({ status, limit: 100, cursor })}`),
  draft: (id: string) => request<Draft>("GET", draftPath(id)),
  approve: (id: string, text?: string) => request<Draft>("POST", `${draftPath(id)}/approve`, text === undefined ? {} : { text }, 120_000),
  reject: (id: string) => request<Draft>("POST", `${draftPath(id)}/reject`),
  resolve: (id: string, outcome: "sent" | "not_sent") => request<Draft>("POST", `${draftPath(id)}/resolve`, { outcome }),
  preview: (id: string) => request<{ draft: Draft; files: LeavingFile[] }>("GET", `${draftPath(id)}/preview`),
  undo: (id: string) => request<Draft>("POST", `${draftPath(id)}/undo`, undefined, 60_000),
  publish: (publication: Publication) => request<Draft>("POST", "/api/publish", publication, 60_000),
  sent: (cursor?: string | null) => request<Page<Draft>>("GET", `/api/sent${query({ limit: 30, cursor })}`),
  autonomy: () => request<Autonomy>("GET", "/api/autonomy"),
  setAutonomy: (patch: object) => request<Autonomy>("POST", "/api/autonomy/policy", patch),
  classes: () => request<Page<ReplyClass>>("GET", `/api/autonomy/classes${query({ limit: 200 })}`),
  revokeClass: (id: string) => request<ReplyClass>("DELETE", `/api/autonomy/classes/${encodeURIComponent(id)}`),
  connectors: () => request<Page<Connector>>("GET", "/api/connectors"),
  configure: (name: string, settings: Record<string, string | null>) => request<Connector>("PUT", connectorPath(name), { settings }),
  style: (name: string) => request<{ messages: number; text: string }>("GET", `${connectorPath(name)}/style`),
  connect: (name: string) => request<Connector>("POST", `${connectorPath(name)}/connect`, undefined, 60_000),
  answer: (name: string, answers: Record<string, string>) => request<Connector>("POST", `${connectorPath(name)}/answer`, { answers }, 60_000),
  paste: (author: string, text: string) => request<object>("POST", "/api/connectors/x/paste", { author, text }, 60_000),
  disconnect: (name: string, forget: boolean) => request<Connector>("POST", `${connectorPath(name)}/disconnect`, { forget }),
};
