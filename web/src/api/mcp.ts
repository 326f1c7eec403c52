// MCP: servers behind Prime's gateway, and clients in front of it.
import type { Page } from "./types";
import { request } from "./client";

export interface Server {
  name: string;
  transport: string;
  line: string;
  place: string;
  file: string;
  state: string;
  problem: string | null;
  info: string;
  /** How often it was started. */
  opened: number;
  tools: string[];
  held: string[];
}

export interface NewServer {
  name: string;
  command?: string;
  args?: string[];
  url?: string;
  env?: Record<string, string>;
  headers?: Record<string, string>;
  replace?: boolean;
}

export interface Token {
  name: string;
  delegation: Record<string, unknown>;
  created: string;
  expires: string | null;
  lastUsed: string | null;
}

const serverPath = (name: string): string => `/api/mcp/servers/${encodeURIComponent(name)}`;

export const mcpApi = {
  servers: () => request<{ items: Server[]; problems: string[] }>("GET", "/api/mcp/servers"),
  add: (server: NewServer) => request<Server>("POST", "/api/mcp/servers", server, 60_000),
  remove: (name: string) => request<{ ok: boolean }>("DELETE", serverPath(name)),
  test: (name: string) => request<Server>("POST", `${serverPath(name)}/test`, undefined, 60_000),
  accept: (name: string) => request<Server>("POST", `${serverPath(name)}/accept`, undefined, 60_000),
  tokens: () => request<Page<Token>>("GET", "/api/mcp/tokens"),
  createToken: (name: string, tools: string[], effects: string[] | null, days: number | null) =>
    request<{ name: string; token: string }>("POST", "/api/mcp/tokens", { name, tools, effects, days }),
  revokeToken: (name: string) => request<{ ok: boolean }>("POST", `/api/mcp/tokens/${encodeURIComponent(name)}/revoke`),
};
