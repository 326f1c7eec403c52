// The war room's plan, as the hub logged it: the newest one, and what it asked for.
import { api } from "../../api/client";
import { HUB, type Message, type Tier } from "../../api/types";

export interface PlannedChannel {
  channelId: string;
  name: string;
  tier: Tier;
  brief: string;
  purpose?: string;
  participants?: { name: string; connector: string }[];
}

export interface Plan {
  message: Message;
  title: string;
  summary: string;
  channels: PlannedChannel[];
  aims: Record<string, string>;
}

function asPlan(message: Message): Plan {
  const body = (message.body ?? {}) as Partial<Plan>;
  return { message, title: body.title ?? "", summary: body.summary || message.text, channels: body.channels ?? [], aims: body.aims ?? {} };
}

const PAGES = 10;

/** All plans as far back as is sensible, the newest first. */
export async function readPlans(): Promise<Plan[]> {
  const found: Plan[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < PAGES; pages++) {
    const page: { items: Message[]; nextCursor: string | null } = await api.messages(HUB, 500, cursor);
    found.push(...page.items.filter((message) => message.kind === "plan").reverse().map(asPlan));
    cursor = page.nextCursor;
    if (!cursor) break;
  }
  return found;
}
