// The channels as a living map: Prime in the middle, a branch for each, moving where somebody is at work.
import type { JSX } from "preact";
import type { Channel, Tier } from "../../api/types";
import { TIERS } from "../../state/channels";
import { followTo, pathToChannel } from "../../state/place";
import { turnsIn } from "../../state/turns";
import { words } from "../../words";

const WIDTH = 860;
const MIDDLE = { x: WIDTH / 2, y: 190 };
const HEIGHT = 380;

interface Node {
  channel: Channel;
  x: number;
  y: number;
}

/** Around an ellipse, a tier's channels side by side, beginning at the left. */
function placed(channels: readonly Channel[]): Node[] {
  const sorted = [...channels].sort((a, b) => TIERS.indexOf(a.tier) - TIERS.indexOf(b.tier));
  const many = sorted.length > 8;
  return sorted.map((channel, index) => {
    const angle = Math.PI + (2 * Math.PI * (index + 0.5)) / sorted.length;
    const far = many && index % 2 === 1 ? 0.68 : 1;
    return { channel, x: MIDDLE.x + Math.cos(angle) * 325 * far, y: MIDDLE.y + Math.sin(angle) * 138 * far };
  });
}

const short = (name: string): string => (name.length > 20 ? `${name.slice(0, 19)}…` : name);

function Mark({ tier }: { tier: Tier }): JSX.Element {
  if (tier === "team") return <rect x={-7} y={-7} width={14} height={14} rx={4} />;
  if (tier === "business_relation") return <rect x={-6.500} y={-6.500} width={13} height={13} rx={2} transform="rotate(45)" />;
  return <circle class="ring" r={6} />;
}

function Branch({ node }: { node: Node }): JSX.Element {
  const busy = turnsIn(node.channel.id).length > 0;
  const bend = { x: (MIDDLE.x + node.x) / 2, y: MIDDLE.y + (node.y - MIDDLE.y) * 0.25 };
  return <path class={`branch ${node.channel.tier} ${busy ? "busy" : ""}`} d={`M${MIDDLE.x} ${MIDDLE.y}Q${bend.x} ${bend.y} ${node.x} ${node.y}`} />;
}

function Spot({ node, asks }: { node: Node; asks: number }): JSX.Element {
  const t = words();
  const { channel, x, y } = node;
  const busy = turnsIn(channel.id).length > 0;
  const label = [channel.name, t.tier(channel.tier), busy ? t.working : "", channel.unread ? t.unread(channel.unread) : "", asks ? t.room.asks(asks) : ""].filter(Boolean).join(", ");
  return (
    <g transform={`translate(${x} ${y})`}>
    <a class={`spot ${channel.tier} ${busy ? "busy" : ""}`} href={pathToChannel(channel.id)} onClick={(event) => followTo(event, pathToChannel(channel.id))} aria-label={label}>
      <circle class="spot-ground" r={21} />
      <Mark tier={channel.tier} />
      {(asks > 0 || channel.unread > 0) && (
        <>
          <circle class={asks ? "spot-count ask" : "spot-count"} cx={16} cy={-16} r={9.500} />
          <text class="spot-number" x={16} y={-12.500}>
            {asks || (channel.unread > 99 ? "99" : channel.unread)}
          </text>
        </>
      )}
      <text class="spot-name" y={38}>
        {short(channel.name)}
      </text>
    </a>
    </g>
  );
}

export function RoomMap({ channels, asks }: { channels: readonly Channel[]; asks: ReadonlyMap<string, number> }): JSX.Element {
  const t = words();
  const nodes = placed(channels);
  return (
    <figure class="room-map">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label={t.room.map}>
        {nodes.map((node) => (
          <Branch key={node.channel.id} node={node} />
        ))}
        <g transform={`translate(${MIDDLE.x} ${MIDDLE.y})`} class="spot-middle" aria-hidden="true">
          <rect x={-28} y={-28} width={56} height={56} rx={16} />
          <path d="M-9 12.500V-14h10.500a8.700 8.700 0 0 1 0 17.400H-9" />
        </g>
        {nodes.map((node) => (
          <Spot key={node.channel.id} node={node} asks={asks.get(node.channel.id) ?? 0} />
        ))}
      </svg>
    </figure>
  );
}
