// Where something belongs and where it came from.
import type { ComponentChildren, JSX } from "preact";
import { HUB } from "../api/types";
import { byId } from "../state/channels";
import { follow, pathToChannel } from "../state/place";
import { words } from "../words";
import { TierMark } from "./Icon";

export function ChannelTag({ channelId }: { channelId: string | null }): JSX.Element | null {
  const channel = channelId ? byId.value.get(channelId) : undefined;
  if (!channel) return null;
  return (
    <span class={`tag ${channel.tier}`}>
      <TierMark tier={channel.tier} />
      <span class="sr">{words().tier(channel.tier)} </span>
      <span class="tag-name">{channel.id === HUB ? words().prime : channel.name}</span>
    </span>
  );
}

export function SourceLink({ channelId, sources, children }: { channelId: string | null; sources: string[]; children: ComponentChildren }): JSX.Element | null {
  const [first, ...others] = sources;
  if (!channelId || !first) return null;
  return (
    <span class="sources">
      <a class="source" href={pathToChannel(channelId, first)} onClick={follow}>
        {children}
      </a>
      {others.slice(0, 4).map((id, index) => (
        <a key={id} class="source" href={pathToChannel(channelId, id)} onClick={follow} aria-label={words().sourceNumber(index + 2)}>
          {index + 2}
        </a>
      ))}
    </span>
  );
}
