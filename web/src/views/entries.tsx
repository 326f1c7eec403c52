// What the palette finds: channels, places, actions, and whatever was ever said.
import type { JSX } from "preact";
import { HUB } from "../api/types";
import { chooseTheme, theme, type Theme } from "../state/appearance";
import { inOrder } from "../state/channels";
import { dialog, writeMessage } from "../state/dialogs";
import { isGuest } from "../state/me";
import { go, openChannelId, pathToChannel } from "../state/place";
import { status } from "../state/status";
import { switchSwarm } from "../state/swarm";
import { chooseLanguage, language, nameOfLanguage } from "../words";
import { words } from "../words/all";
import { Icon, TierMark, type IconName } from "../parts/Icon";
import { themeName } from "../parts/Preferences";
import { SPOTS } from "../parts/Rail";

export interface Entry {
  id: string;
  name: string;
  note: string;
  mark: JSX.Element;
  act: () => void;
}

function channelEntries(): Entry[] {
  const t = words();
  return inOrder.value.map((channel) => ({
    id: channel.id,
    name: channel.id === HUB ? t.prime : channel.name,
    note: channel.id === HUB ? t.yourRoom : t.tier(channel.tier),
    mark: <TierMark tier={channel.tier} />,
    act: () => go(pathToChannel(channel.id)),
  }));
}

/** The views, and the pages within them that people look for by name. */
function placeEntries(): Entry[] {
  const t = words();
  const at = (href: string, name: string, note: string, icon: IconName): Entry => ({
    id: `place-${href.slice(1).replaceAll("/", "-")}`,
    name,
    note,
    mark: <Icon name={icon} size={16} />,
    act: () => go(href),
  });
  const views = SPOTS.filter((spot) => spot.view !== "home").map((spot) => at(spot.href, t.placeName[spot.view], t.places, spot.icon));
  const sections = Object.entries(t.settings.section).filter(([section]) => section !== "");
  return [
    ...views,
    at("/recall/facts", t.recall.facts, t.placeName.recall, "search"),
    at("/recall/state", t.recall.state, t.placeName.recall, "search"),
    at("/tools/policy", t.policy.tab, t.placeName.tools, "tool"),
    at("/tools/approved", t.tools.approved, t.placeName.tools, "tool"),
    at("/tools/servers", t.tools.servers, t.placeName.tools, "tool"),
    at("/tools/clients", t.tools.tokens, t.placeName.tools, "tool"),
    ...sections.map(([section, name]) => at(`/settings/${section}`, name, t.placeName.settings, "settings")),
  ];
}

const action = (id: string, name: string, icon: IconName, act: () => void): Entry => ({
  id: `action-${id}`,
  name,
  note: words().actions,
  mark: <Icon name={icon} size={16} />,
  act,
});

function ownerActions(): Entry[] {
  const t = words();
  const now = status.value;
  const swarm = now.state === "ready" && action("swarm", now.value.running ? t.pause : t.resume, now.value.running ? "pause" : "play", () => void switchSwarm());
  return [
    action("waiting", t.goWaiting, "inbox", () => {
      go("/");
      requestAnimationFrame(() => document.querySelector<HTMLElement>("#waiting")?.focus());
    }),
    action("new-channel", t.newChannel, "plus", () => (dialog.value = "new-channel")),
    ...(swarm ? [swarm] : []),
    action("about", t.about, "chip", () => (dialog.value = "about")),
  ];
}

const THEME_ICONS: Record<Theme, IconName> = { dark: "moon", light: "sun", system: "system" };

function actionEntries(): Entry[] {
  const t = words();
  const other = language.value === "en" ? "zh" : "en";
  const themes = (["light", "dark", "system"] as Theme[]).filter((value) => value !== theme.value);
  return [
    action("compose", t.focusCompose, "pencil", () => {
      go(pathToChannel(openChannelId.value));
      requestAnimationFrame(writeMessage);
    }),
    ...(isGuest.value ? [] : ownerActions()),
    ...themes.map((value) => action(`theme-${value}`, t.useTheme(themeName(value)), THEME_ICONS[value], () => chooseTheme(value))),
    action("language", t.useLanguage(nameOfLanguage(other)), "language", () => void chooseLanguage(other)),
    action("shortcuts", t.shortcuts, "keyboard", () => (dialog.value = "shortcuts")),
  ];
}

export const everyEntry = (): Entry[] => [...channelEntries(), ...(isGuest.value ? [] : placeEntries()), ...actionEntries()];

/** Whatever is not a name may have been said: it is looked for there. */
export const recallEntry = (typed: string): Entry => ({
  id: "recall",
  name: words().recallTyped(typed.trim()),
  note: words().placeName.recall,
  mark: <Icon name="search" size={16} />,
  act: () => go(`/recall?q=${encodeURIComponent(typed.trim())}`),
});
