// Every request the page makes. A failure of any kind arrives as a Trouble that can be shown to a person.
import type { Actor, Answer, Attachment, Channel, FeedItem, Message, NewChannel, Page, Question, Status } from "./types";

const PATIENCE_MS = 20_000;

export class Trouble extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint: string | null,
    readonly status: number,
    /** Where a message is that was looked for in another channel. */
    readonly channelId?: string,
  ) {
    super(message);
  }

  /** The request may never have arrived: sending it again later is right. */
  get unreachable(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

export function asTrouble(cause: unknown): Trouble {
  if (cause instanceof Trouble) return cause;
  return new Trouble("page_failed", cause instanceof Error ? cause.message : String(cause), null, 0);
}

interface ErrorBody {
  error?: { code?: string; message?: string; hint?: string | null; channelId?: string };
}

async function troubleOf(response: Response): Promise<Trouble> {
  let body: ErrorBody = {};
  try {
    body = (await response.json()) as ErrorBody;
  } catch {
    // A proxy in between may answer with something that is not JSON; the status says enough.
  }
  const error = body.error ?? {};
  return new Trouble(error.code ?? `http_${response.status}`, error.message ?? "", error.hint ?? null, response.status, error.channelId);
}

let whenRefused = (): void => {};

/** What to do when Prime no longer knows who asks: the session ended, here or from another device. */
export const onRefused = (act: () => void): void => void (whenRefused = act);

/** `patience` is for requests that are known to take longer than a person would wait for an ordinary one. */
export async function request<T>(method: string, path: string, body?: object, patience = PATIENCE_MS): Promise<T> {
  const init: RequestInit = { method, signal: AbortSignal.timeout(patience), headers: { accept: "application/json" } };
  if (body instanceof FormData) init.body = body;
  else if (body) {
    init.body = JSON.stringify(body);
    init.headers = { ...init.headers, "content-type": "application/json" };
  }
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (cause) {
    const slow = cause instanceof DOMException && cause.name === "TimeoutError";
    throw new Trouble(slow ? "timed_out" : "unreachable", "", null, 0);
  }
  if (response.status === 401) whenRefused();
  if (!response.ok) throw await troubleOf(response);
  try {
    return (await response.json()) as T;
  } catch {
    throw new Trouble("not_json", "", null, response.status);
  }
}

export function query(values: Record<string, string | number | boolean | null | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return text ? `?${text}` : "";
}

export const channelPath = (id: string): string => `/api/channels/${encodeURIComponent(id)}`;

export const api = {
  status: () => request<Status>("GET", "/api/status"),
  actors: () => request<Page<Actor>>("GET", "/api/actors"),
  agentConnectors: () => request<Page<string>>("GET", "/api/actors/connectors"),
  createAgent: (name: string, connector: string) => request<Actor>("POST", "/api/actors", { name, kind: "agent", connector }),
  channels: (cursor?: string | null) => request<Page<Channel>>("GET", `/api/channels${query({ limit: 500, cursor })}`),
  createChannel: (channel: NewChannel) => request<Channel>("POST", "/api/channels", channel),
  markRead: (channelId: string, messageId: string) => request<Channel>("PATCH", channelPath(channelId), { readUpTo: messageId }),
  closeChannel: (channelId: string) => request<Channel>("PATCH", channelPath(channelId), { closed: true }),
  renameChannel: (channelId: string, name: string) => request<Channel>("PATCH", channelPath(channelId), { name }),
  join: (channelId: string, actorId: string) => request<Page<string>>("POST", `${channelPath(channelId)}/members`, { actorId }),
  leave: (channelId: string, actorId: string) => request<Page<string>>("DELETE", `${channelPath(channelId)}/members/${encodeURIComponent(actorId)}`),
  messages: (channelId: string, limit: number, cursor?: string | null) =>
    request<Page<Message>>("GET", `${channelPath(channelId)}/messages${query({ limit, cursor })}`),
  pauseChannel: (channelId: string) => request<Channel>("POST", `${channelPath(channelId)}/pause`),
  resumeChannel: (channelId: string) => request<Channel>("POST", `${channelPath(channelId)}/resume`),
  stop: (channelId: string) => request<{ stopped: boolean }>("POST", `${channelPath(channelId)}/stop`),
  retryTurn: (channelId: string) => request<{ ok: boolean }>("POST", `${channelPath(channelId)}/retry`),
  around: (channelId: string, limit: number, messageId: string) =>
    request<Page<Message>>("GET", `${channelPath(channelId)}/messages${query({ limit, around: messageId })}`),
  say: (channelId: string, text: string, idempotencyKey: string, attachmentIds: readonly string[]) =>
    request<Message>("POST", `${channelPath(channelId)}/messages`, { text, idempotencyKey, attachmentIds }),
  attachment: (id: string) => request<Attachment>("GET", `/api/attachments/${encodeURIComponent(id)}`),
  removeAttachment: (id: string) => request<{ ok: boolean }>("DELETE", `/api/attachments/${encodeURIComponent(id)}`),
  upload: (file: File) => {
    const form = new FormData();
    form.set("file", file);
    return request<Attachment>("POST", "/api/attachments", form, 120_000);
  },
  feed: (cursor?: string | null) => request<Page<FeedItem>>("GET", `/api/feed${query({ limit: 30, cursor })}`),
  questions: (status: "pending" | "snoozed", cursor?: string | null) => request<Page<Question>>("GET", `/api/questions${query({ status, limit: 200, cursor })}`),
  answer: (id: string, answer: Answer) =>
    request<{ question: Question; rule?: { text: string } | null }>("POST", `/api/questions/${encodeURIComponent(id)}/answer`, answer),
};
