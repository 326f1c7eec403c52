// A plan in the conversation: its words, and the rooms that it opened with what each may know.
import type { JSX } from "preact";
import type { Message, Tier } from "../api/types";
import { Markdown } from "../markdown/Markdown";
import { TIERS } from "../state/channels";
import { follow, pathToChannel } from "../state/place";
import { words } from "../words";
import { TierMark } from "./Icon";

interface Planned {
  channelId: string;
  name: string;
  tier: Tier;
}

const plannedIn = (message: Message): Planned[] => {
  const { channels } = (message.body ?? {}) as { channels?: Planned[] };
  return Array.isArray(channels) ? channels.filter((each) => each.channelId && each.name) : [];
};

export function PlanSheet({ message }: { message: Message }): JSX.Element {
  const t = words();
  const channels = plannedIn(message);
  return (
    <>
      <Markdown text={message.text} />
      {channels.length > 0 && (
        <div class="sheet plan">
          {TIERS.map((tier) => {
            const here = channels.filter((channel) => channel.tier === tier);
            if (here.length === 0) return null;
            return (
              <p key={tier}>
                <TierMark tier={tier} />
                <span class="plan-names">
                  {here.map((channel, index) => (
                    <span key={channel.channelId}>
                      {index > 0 && t.comma}
                      <a href={pathToChannel(channel.channelId)} onClick={follow}>
                        {channel.name}
                      </a>
                    </span>
                  ))}
                </span>
                <em>{t.tierKnows(tier)}</em>
              </p>
            );
          })}
          <p class="plan-foot">
            <a class="source" href="/room" onClick={follow}>
              {t.openRoom}
            </a>
          </p>
        </div>
      )}
    </>
  );
}
