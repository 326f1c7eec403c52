// The hub: the swarm's switch, rules, figures over time, and why a question was asked.
import type { Message, Page, Question, Status } from "./types";
import { channelPath, query, request } from "./client";

export interface Rule {
  id: string;
  text: string;
  fromQuestionId: string;
  question: string;
  channelId: string;
  hits: number;
  lastHitAt: string | null;
  active: boolean;
  createdAt: string;
  sources: string[];
}

export interface RulePreview {
  text: string;
  resolves: { messageId: string; channelId: string; text: string; outcome: string; ts: string }[];
}

export interface Point {
  ts: string;
  autoResolved: number;
  asked: number;
  answered: number;
  surfaced: number;
  silent: number;
  ruleHits: number;
  messages: number;
  timeToAnswerMs: number | null;
  calls: number;
  dollars: number;
  toolCalls: number;
  toolFailures: number;
}

export interface Metrics {
  stepMs: number;
  items: Point[];
  totals: Point;
  questionsPerHour: number;
  tools: { name: string; calls: number }[];
}

export interface Feature {
  name: string;
  weight: number;
  because: string;
}

const rulePath = (id: string): string => `/api/rules/${encodeURIComponent(id)}`;
const questionPath = (id: string): string => `/api/questions/${encodeURIComponent(id)}`;

/** What made a question necessary, or not, as the decision behind it has it. */
async function features({ channelId, sources }: Pick<Question, "channelId" | "sources">): Promise<Feature[]> {
  const [source] = sources;
  if (!source || !channelId) return [];
  const page = await request<Page<Message>>("GET", `${channelPath(channelId)}/messages${query({ limit: 100, around: source })}`);
  const about = page.items.filter((message) => message.kind === "decision" && message.sources?.includes(source));
  const bodies = about.map((message) => message.body as { features?: Feature[] } | null);
  return bodies.findLast((body) => body?.features?.length)?.features ?? [];
}

export const hubApi = {
  pause: () => request<Status>("POST", "/api/swarm/pause"),
  resume: (newCount = false) => request<Status>("POST", "/api/swarm/resume", newCount ? { newCount } : undefined),
  rules: () => request<Page<Rule>>("GET", "/api/rules"),
  changeRule: (id: string, change: { text?: string; active?: boolean }) => request<Rule>("PATCH", rulePath(id), change),
  revokeRule: (id: string) => request<Rule>("DELETE", rulePath(id)),
  previewRule: (questionId: string, wanted: { text?: string; answer?: string }) =>
    request<RulePreview>("POST", `${questionPath(questionId)}/preview-rule`, wanted, 60_000),
  snooze: (questionId: string, untilMs: number) => request<Question>("POST", `${questionPath(questionId)}/snooze`, { untilMs }),
  features,
  metrics: (since: number, stepMs: number) => request<Metrics>("GET", `/api/metrics${query({ since, stepMs })}`),
};
