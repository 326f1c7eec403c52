// The bottom tabs of a narrow screen.
import type { JSX } from "preact";
import { inOrder } from "../state/channels";
import { isGuest } from "../state/me";
import { follow, openChannelId, openView, pathToChannel, place, type Place } from "../state/place";
import { waitingCount } from "../state/waiting";
import { words } from "../words";
import { Icon, type IconName } from "./Icon";

interface Props {
  view: Place["view"];
  href: string;
  icon: IconName;
  name: string;
  count: number;
}

/** The places of the page are found under the channels on a narrow screen. */
const isBelowChannels = (): boolean => openView.value !== null && openView.value !== "recall";

function Tab({ view, href, icon, name, count }: Props): JSX.Element {
  return (
    <a href={href} onClick={follow} aria-current={place.value.view === view ? "page" : view === "channels" && isBelowChannels() ? "true" : undefined}>
      <span class="tab-icon">
        <Icon name={icon} size={22} />
        {count > 0 && <span class={`count ${view === "home" ? "ask" : ""}`}>{count > 99 ? "99+" : count}</span>}
      </span>
      {name}
    </a>
  );
}

export function Tabs(): JSX.Element {
  const t = words();
  const unread = inOrder.value.reduce((sum, channel) => sum + channel.unread, 0);
  return (
    <nav class="tabs" aria-label={t.prime}>
      {!isGuest.value && <Tab view="home" href="/" icon="inbox" name={t.waitingTab} count={waitingCount()} />}
      <Tab view="channel" href={pathToChannel(openChannelId.value)} icon="chat" name={t.chatTab} count={0} />
      <Tab view="channels" href="/channels" icon="list" name={t.channels} count={unread} />
      {!isGuest.value && <Tab view="recall" href="/recall" icon="search" name={t.placeName.recall} count={0} />}
    </nav>
  );
}
