// The left pane: the owner's room, then every channel under its tier.
import type { JSX } from "preact";
import { HUB, PRIME, type Channel } from "../api/types";
import { nameOf } from "../state/actors";
import { onOneLine } from "../markdown/oneLine";
import { channels, grouped, lastHeard } from "../state/channels";
import { isGuest, selfId } from "../state/me";
import { dialog } from "../state/dialogs";
import { narrow } from "../state/narrow";
import { follow, openChannelId, pathToChannel, place } from "../state/place";
import { turnsIn } from "../state/turns";
import { refresh } from "../state/live";
import { words } from "../words";
import { shortTime } from "../words/format";
import { Icon, TierMark } from "./Icon";
import { SPOTS } from "./Rail";
import { Preferences } from "./Preferences";
import { TroubleNote } from "./TroubleNote";

function Activity({ channel }: { channel: Channel }): JSX.Element | null {
  const t = words();
  const { unread } = channel;
  if (unread > 0) {
    return (
      <span class="count">
        <span aria-hidden="true">{unread > 99 ? "99+" : unread}</span>
        <span class="sr">{t.unread(unread)}</span>
      </span>
    );
  }
  if (channel.paused) {
    return (
      <span class="stands">
        <Icon name="pause" size={14} />
        <span class="sr">{t.paused}</span>
      </span>
    );
  }
  if (turnsIn(channel.id).length > 0) {
    return (
      <span class="busy">
        <span class="sr">{t.working}</span>
      </span>
    );
  }
  return channel.lastMessageAt ? <time dateTime={channel.lastMessageAt}>{shortTime(channel.lastMessageAt)}</time> : null;
}

/** Who is in a channel beside Prime and who looks at it. */
function whoIsIn(channel: Channel): string {
  const others = channel.members.filter((id) => id !== selfId.value && id !== PRIME).map(nameOf);
  const names = others.join(words().comma);
  // A direct talk bears the other's name already; what they may know says more.
  if (names === channel.name) return words().tierKnows(channel.tier);
  return names || words().members(channel.members.length);
}

function Row({ channel }: { channel: Channel }): JSX.Element {
  const t = words();
  const hub = channel.id === HUB;
  const current = openChannelId.value === channel.id && place.value.view !== "channels";
  const heard = lastHeard(channel);
  const below = heard ? onOneLine(heard, t.draftNotSent) : hub ? t.yourRoom : whoIsIn(channel);
  return (
    <li>
      <a
        class={`room ${channel.unread > 0 ? "fresh" : ""}`}
        href={pathToChannel(channel.id)}
        onClick={follow}
        aria-current={current ? "page" : undefined}
      >
        <TierMark tier={channel.tier} />
        <span class="room-text">
          <b>{hub ? t.prime : channel.name}</b>
          <span class="sr">{t.tier(channel.tier)}</span>
          <small>{below}</small>
        </span>
        <Activity channel={channel} />
      </a>
    </li>
  );
}

/** On a phone there is no rail: its places stand above the channels, however many those are. */
function Places(): JSX.Element | null {
  if (!narrow.value || isGuest.value) return null;
  const t = words();
  return (
    <ul class="places" aria-label={t.places}>
      {SPOTS.filter((spot) => spot.view !== "home" && spot.view !== "recall").map((spot) => (
        <li key={spot.view}>
          <a href={spot.href} onClick={follow}>
            <Icon name={spot.icon} />
            <span>{t.placeName[spot.view]}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function Rows(): JSX.Element {
  const t = words();
  const { hub, groups } = grouped.value;
  return (
    <>
      {hub && (
        <ul>
          <Row channel={hub} key={hub.id} />
        </ul>
      )}
      {groups.map((group) => (
        <section key={group.tier}>
          <h2>{t.tierHeading(group.tier)}</h2>
          <ul>
            {group.channels.map((channel) => (
              <Row channel={channel} key={channel.id} />
            ))}
          </ul>
        </section>
      ))}
      {groups.length === 0 && <p class="hint">{t.noChannels}</p>}
    </>
  );
}

const Waiting = (): JSX.Element => (
  <div class="bones" aria-hidden="true">
    {[70, 52, 64, 44, 58].map((width) => (
      <span style={{ width: `${width}%` }} />
    ))}
  </div>
);

export function ChannelList(): JSX.Element {
  const t = words();
  const now = channels.value;
  return (
    <nav class="rooms" aria-label={t.channels} aria-busy={now.state === "loading"}>
      <div class="rooms-scroll">
        <Places />
        {now.state === "loading" && <Waiting />}
        {now.state === "failed" && <TroubleNote trouble={now.trouble} short retry={() => void refresh()} />}
        {now.state === "ready" && <Rows />}
      </div>
      <div class="rooms-foot">
        {!isGuest.value && (
          <button type="button" class="quiet" onClick={() => (dialog.value = "new-channel")}>
            <Icon name="plus" size={18} />
            {t.newChannel}
          </button>
        )}
        <Preferences />
      </div>
    </nav>
  );
}
