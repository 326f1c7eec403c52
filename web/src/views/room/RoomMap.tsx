// The channels as a living map: Prime in the middle, a branch for each, moving where somebody is at work.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { OWNER, PRIME, type Channel, type Tier } from "../../api/types";
import { nameOf } from "../../state/actors";
import { onOneLine } from "../../markdown/oneLine";
import { lastHeard, TIERS } from "../../state/channels";
import { cramped } from "../../state/narrow";
import { followTo, pathToChannel } from "../../state/place";
import { turnsIn } from "../../state/turns";
import { words } from "../../words/all";

/** How large the map is drawn, and how far its channels are from the middle. */
interface Size {
  width: number;
  height: number;
  far: { x: number; y: number };
  letters: number;
  /** With more channels than this there is no room for what was said last. */
  roomy: number;
  /** How many can be told apart. */
  most: number;
}

const WIDE: Size = { width: 860, height: 392, far: { x: 325, y: 138 }, letters: 20, roomy: 8, most: 12 };
const NARROW: Size = { width: 400, height: 430, far: { x: 128, y: 160 }, letters: 14, roomy: 6, most: 8 };

const middleOf = ({ width, height }: Size): { x: number; y: number } => ({ x: width / 2, y: height / 2 - 12 });

interface Node {
  channel: Channel;
  x: number;
  y: number;
}

/** More than these stand in two arches instead of a ring, where they would stand in each other's way. */
const RING = 8;

/** How far those in an arch stand from the middle, to the side. */
const ARCH = 1.08;
const LETTER = 10;

/** As much of a name as fits below its spot; in an arch the next one stands beside it. */
function lettersFor(count: number, size: Size): number {
  if (count <= size.roomy) return size.letters;
  if (count <= RING) return size.letters - 2;
  const apart = (2 * size.far.x * ARCH) / (Math.ceil(count / 2) - 1);
  return Math.min(size.letters - 2, Math.floor(apart / LETTER));
}

/** Around an ellipse, a tier's channels side by side, beginning at the left. */
function placed(channels: readonly Channel[], size: Size): Node[] {
  const middle = middleOf(size);
  const sorted = [...channels].sort((a, b) => TIERS.indexOf(a.tier) - TIERS.indexOf(b.tier));
  const above = Math.ceil(sorted.length / 2);
  return sorted.map((channel, index) => {
    if (sorted.length <= RING) {
      const angle = Math.PI + (2 * Math.PI * (index + 0.5)) / sorted.length;
      return { channel, x: middle.x + Math.cos(angle) * size.far.x, y: middle.y + Math.sin(angle) * size.far.y };
    }
    const isAbove = index < above;
    const along = isAbove ? index / (above - 1) : 1 - (index - above) / (sorted.length - above - 1);
    const high = size.far.y * (0.6 + 0.4 * Math.sin(Math.PI * along));
    return { channel, x: middle.x + (2 * along - 1) * size.far.x * ARCH, y: middle.y + (isAbove ? -high : high) };
  });
}

/** Where something goes on: those that ask, then those that work, then those that spoke last. */
function liveliest(channels: readonly Channel[], asks: ReadonlyMap<string, number>, most: number): readonly Channel[] {
  if (channels.length <= most) return channels;
  const rank = ({ id, driven }: Channel): number => (asks.has(id) ? 0 : turnsIn(id).length > 0 ? 1 : driven ? 2 : 3);
  const sorted = [...channels].sort((a, b) => rank(a) - rank(b) || (b.lastMessageAt ?? "").localeCompare(a.lastMessageAt ?? ""));
  const kept = new Set(sorted.slice(0, most));
  return channels.filter((channel) => kept.has(channel));
}

/** Chinese letters are twice as wide as most Latin ones. */
function short(text: string, letters: number): string {
  let room = letters;
  const kept = [...text].findIndex((letter) => (room -= letter > "\u2e80" ? 2 : "MW@m".includes(letter) ? 1.6 : 1) < 0);
  return kept < 0 ? text : `${[...text].slice(0, Math.max(1, kept - 1)).join("").trimEnd()}…`;
}

/** What was said there last, or who is there. */
function below(channel: Channel): string {
  const heard = onOneLine(lastHeard(channel), words().draftNotSent);
  const names = channel.members.filter((id) => id !== OWNER && id !== PRIME).map(nameOf).join(", ");
  // A direct talk bears the other's name already.
  return heard || (names === channel.name ? "" : names);
}

function Mark({ tier }: { tier: Tier }): JSX.Element {
  if (tier === "team") return <rect x={-7} y={-7} width={14} height={14} rx={4} />;
  if (tier === "business_relation") return <rect x={-6.500} y={-6.500} width={13} height={13} rx={2} transform="rotate(45)" />;
  return <circle class="ring" r={6} />;
}

/** The line to a channel. What is said there while somebody looks runs along it to the middle, once. */
function Branch({ node, size, since }: { node: Node; size: Size; since: number }): JSX.Element {
  const said = node.channel.lastMessageAt;
  const busy = turnsIn(node.channel.id).length > 0;
  const middle = middleOf(size);
  const bend = { x: (middle.x + node.x) / 2, y: middle.y + (node.y - middle.y) * 0.25 };
  const way = `M${middle.x} ${middle.y}Q${bend.x} ${bend.y} ${node.x} ${node.y}`;
  return (
    <>
      <path class={`branch ${busy ? "busy" : ""}`} d={way} />
      {said && Date.parse(said) > since && <path key={said} class={`branch-news ${node.channel.tier}`} d={way} pathLength={100} />}
    </>
  );
}

function Spot({ node, asks, letters, roomy }: { node: Node; asks: number; letters: number; roomy: boolean }): JSX.Element {
  const t = words();
  const { channel, x, y } = node;
  const busy = turnsIn(channel.id).length > 0;
  const label = [channel.name, t.tier(channel.tier), channel.paused ? t.paused : busy ? t.working : "", channel.unread ? t.unread(channel.unread) : "", asks ? t.room.asks(asks) : ""].filter(Boolean).join(", ");
  return (
    <g transform={`translate(${x} ${y})`}>
      <a class={`spot ${channel.tier} ${channel.paused ? "paused" : busy ? "busy" : ""}`} href={pathToChannel(channel.id)} onClick={(event) => followTo(event, pathToChannel(channel.id))} aria-label={label}>
        <circle class="spot-ground" r={21} />
        {channel.paused ? <path class="spot-paused" d="M-4 -6v12M4 -6v12" /> : <Mark tier={channel.tier} />}
        <rect class="spot-reach" x={-60} y={-24} width={120} height={68} />
      </a>
      {/* Beside the link, which says it all in its name. */}
      {(asks > 0 || channel.unread > 0) && (
        <g aria-hidden="true">
          <circle class={asks ? "spot-count ask" : "spot-count"} cx={16} cy={-16} r={9.500} />
          <text class="spot-number" x={16} y={-12.500}>
            {asks || (channel.unread > 99 ? "99" : channel.unread)}
          </text>
        </g>
      )}
      <text class="spot-name" aria-hidden="true" y={38}>
        {short(channel.name, letters)}
      </text>
      {roomy && (
        <text class="spot-said" aria-hidden="true" y={55}>
          {short(below(channel), letters + 8)}
        </text>
      )}
    </g>
  );
}

export function RoomMap({ channels, asks }: { channels: readonly Channel[]; asks: ReadonlyMap<string, number> }): JSX.Element {
  const t = words();
  const size = cramped.value ? NARROW : WIDE;
  const middle = middleOf(size);
  const shown = liveliest(channels, asks, size.most);
  const nodes = placed(shown, size);
  const [since] = useState(Date.now);
  return (
    <figure class="room-map">
      <svg class={cramped.value ? "upright" : ""} viewBox={`0 0 ${size.width} ${size.height}`} role="group" aria-label={t.room.map}>
        {nodes.map((node) => (
          <Branch key={node.channel.id} node={node} size={size} since={since} />
        ))}
        <g transform={`translate(${middle.x} ${middle.y})`} class="spot-middle" aria-hidden="true">
          <rect x={-28} y={-28} width={56} height={56} rx={16} />
          <path d="M-9 12.500V-14h10.500a8.700 8.700 0 0 1 0 17.400H-9" />
        </g>
        {nodes.map((node) => (
          <Spot key={node.channel.id} node={node} asks={asks.get(node.channel.id) ?? 0} letters={lettersFor(nodes.length, size)} roomy={nodes.length <= size.roomy} />
        ))}
      </svg>
      {shown.length < channels.length && <figcaption>{t.room.others(channels.length - shown.length)}</figcaption>}
    </figure>
  );
}
