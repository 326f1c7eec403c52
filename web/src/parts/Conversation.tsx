// The middle pane.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { HUB, type Channel } from "../api/types";
import { byId, channels, loadChannels } from "../state/channels";
import { forgetIfLong, loadOnEntering } from "../state/conversation";
import { isGuest } from "../state/me";
import { follow, openChannelId } from "../state/place";
import { roomsAtWork } from "../state/swarm";
import { words } from "../words";
import { ChannelSwitch } from "./ChannelSwitch";
import { ChannelMenu } from "./ChannelMenu";
import { Compose } from "./Compose";
import { Icon, TierMark } from "./Icon";
import { Bones, MessageList } from "./MessageList";

function Title({ channel }: { channel: Channel }): JSX.Element {
  const t = words();
  const hub = channel.id === HUB;
  const atWork = hub ? roomsAtWork() : 0;
  return (
    <header class="talk-head">
      <a class="to-channels" href="/channels" onClick={follow} aria-label={t.channels}>
        <Icon name="back" />
      </a>
      <h2>{hub ? t.prime : channel.name}</h2>
      {hub ? (
        <p>{atWork > 0 ? t.atWork(atWork) : t.yourRoom}</p>
      ) : (
        <p>
          <span class={`tag ${channel.tier}`}>
            <TierMark tier={channel.tier} />
            {t.tier(channel.tier)}
          </span>
          {channel.kind === "group" && <span class="wide-only">{t.members(channel.members.length)}</span>}
        </p>
      )}
      {!isGuest.value && <ChannelMenu channel={channel} />}
    </header>
  );
}

/** A channel that was made a moment ago, elsewhere, is not known here yet: nobody says that it is missing before asking. */
function Missing(): JSX.Element {
  const t = words();
  const [asked, setAsked] = useState(false);
  useEffect(() => void loadChannels().then(() => setAsked(true)), []);
  if (!asked) return <Bones />;
  return (
    <div class="empty">
      <Icon name="search" size={28} />
      <h2>{t.channelMissing}</h2>
      <p>{t.channelMissingHint}</p>
      <a class="button" href="/c/ch_hub" onClick={follow}>
        {t.goHome}
      </a>
    </div>
  );
}

/** The room exists before the list of channels has come, so that its messages can be loading already. */
const placeholder = (id: string): Channel => ({
  id,
  kind: "group",
  name: "",
  tier: "team",
  members: [],
  course: 1,
  lastMessageAt: null,
  unread: 0,
  priming: null,
});

function Room({ channel }: { channel: Channel }): JSX.Element {
  // Who follows a link while the page begins is in a room that nobody has asked for yet.
  const begun = channels.value.state === "ready";
  useEffect(() => {
    if (begun) loadOnEntering(channel.id);
  }, [channel.id, begun]);
  useEffect(() => () => forgetIfLong(channel.id), [channel.id]);
  return (
    <>
      <Title channel={channel} />
      {channel.paused && (
        <aside class="banner calm-banner" aria-label={words().paused}>
          <Icon name="pause" size={18} />
          <p>{words().channelPaused}</p>
          <ChannelSwitch channel={channel} />
        </aside>
      )}
      <div class="talk-body">
        <MessageList channel={channel} />
      </div>
      <Compose channel={channel} />
    </>
  );
}

export function Conversation(): JSX.Element {
  const id = openChannelId.value;
  const channel = byId.value.get(id);
  const missing = !channel && channels.value.state === "ready" && id !== HUB;
  return (
    <section class="talk" id="conversation" tabIndex={-1} aria-label={words().talk}>
      {missing ? <Missing key={id} /> : <Room key={id} channel={channel ?? placeholder(id)} />}
    </section>
  );
}
