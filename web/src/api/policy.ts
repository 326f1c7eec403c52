// What tools may do: the owner's policy as one document.
import { request } from "./client";

export type Access = "allow" | "ask" | "deny";
export type Guarded = "write" | "network" | "destructive" | "billable";

export interface Restrictions {
  destructive?: boolean;
  network?: boolean;
  subprocess?: boolean;
  idempotent?: boolean;
  reversible?: boolean;
  filesystem?: { read?: boolean; write?: boolean; delete?: boolean };
  cost?: { billable?: boolean };
}

/** What is left to others. It can only take away. */
export interface Delegation {
  allowedTools?: string[];
  deniedCommands?: string[];
  effectRestrictions?: Restrictions;
  within?: Delegation;
}

export interface PolicyDocument {
  allow: Record<Guarded, Access>;
  budget?: { limit: number; estimates?: Record<string, number> } | undefined;
  confirm: string[];
  deny: string[];
  paths: { read: string[]; write: string[] };
  delegation?: Delegation | undefined;
}

export interface Policy {
  document: PolicyDocument;
  version: string;
  problem: string | null;
  file: string;
  tiers: Record<"business_relation" | "external", Delegation>;
}

export interface Left {
  left: number;
  of: number;
  taken: string[];
}

export const policyApi = {
  get: () => request<Policy>("GET", "/api/policy"),
  put: (document: PolicyDocument, version: string) => request<Policy>("PUT", "/api/policy", { document, version }),
  preview: (document: PolicyDocument) => request<Left>("POST", "/api/policy/preview", { document }),
};
