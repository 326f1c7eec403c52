// The war room: the plan, its channels as a living map, and the switch.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { HUB, type Channel } from "../api/types";
import { ChannelSwitch } from "../parts/ChannelSwitch";
import { Icon, TierMark } from "../parts/Icon";
import { isPausedByItself } from "../parts/PauseBanner";
import { Swarm } from "../parts/Swarm";
import { Nothing, Section, Shown, View } from "../parts/View";
import { nameOf } from "../state/actors";
import { onOneLine } from "../markdown/oneLine";
import { byId, inOrder, lastHeard } from "../state/channels";
import { conversation } from "../state/conversation";
import { valueOr } from "../state/loaded";
import { follow, pathToChannel } from "../state/place";
import { turnsIn } from "../state/turns";
import { useRead } from "../state/useRead";
import { questions } from "../state/waiting";
import { words } from "../words/all";
import { since } from "../words/format";
import { readPlans, type Plan } from "./room/plan";
import { RoomMap } from "./room/RoomMap";

function waitingBy(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const question of valueOr(questions.value, [])) counts.set(question.channelId, (counts.get(question.channelId) ?? 0) + 1);
  return counts;
}

function Row({ channel, plans }: { channel: Channel; plans: readonly Plan[] }): JSX.Element {
  const t = words();
  const planned = plans.flatMap((plan) => plan.channels).find((each) => each.channelId === channel.id);
  const busy = turnsIn(channel.id);
  const heard = lastHeard(channel);
  return (
    <li class="room-row">
      <a class="line" href={pathToChannel(channel.id)} onClick={follow}>
        <span class="line-main">
          <b class="with-mark">
            <TierMark tier={channel.tier} />
            {channel.name}
          </b>
          {(planned?.brief || heard) && <span class="two-lines">{heard ? onOneLine(heard, t.draftNotSent) : planned?.brief}</span>}
        </span>
        <span class="line-side">
          <span class={`tag ${channel.tier}`}>{t.tier(channel.tier)}</span>
          {channel.paused ? (
            <small class="stands">{t.paused}</small>
          ) : busy.length > 0 ? (
            <small class="at-work">
              <span class="busy" aria-hidden="true" /> {t.workingNames(nameOf(busy[0]!.actorId))}
            </small>
          ) : (
            channel.lastMessageAt && <small>{since(channel.lastMessageAt)}</small>
          )}
        </span>
      </a>
      {channel.driven && <ChannelSwitch channel={channel} />}
    </li>
  );
}

/** What only the engine needs to know of a plan. */
const HIDDEN = new Set(["archetype", "language", "thing", "seed", "income"]);

function Aims({ plan }: { plan: Plan }): JSX.Element | null {
  const { aims } = plan;
  const entries = Object.entries(aims)
    .map(([name, value]) => [name, value.replace(/[.。]$/, "")] as const)
    .filter(([name, value]) => value && !HIDDEN.has(name) && !(name === "date" && aims["deadline"] === aims["date"]));
  if (entries.length === 0) return null;
  return (
    <dl class="aims">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name === "budget" && aims["income"] ? words().room.hoped : words().room.aim(name)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The title stands above it. */
const withoutTitle = ({ title, summary }: Plan): string => (title && summary.startsWith(`${title}: `) ? summary.slice(title.length + 2) : summary);

/** A summary that only names the rooms and who is in them says what the map and the list below say. */
const isRollCall = (plan: Plan): boolean => plan.channels.length > 0 && plan.channels.every(({ name }) => withoutTitle(plan).includes(`${name} (`) || withoutTitle(plan).includes(`${name}（`));

function ThePlan({ plan }: { plan: Plan }): JSX.Element {
  const t = words().room;
  return (
    <div class="plan-sheet">
      <p class="meta">
        <span>{t.planned(since(plan.message.ts))}</span>
        <a class="source" href={pathToChannel(HUB, plan.message.id)} onClick={follow}>
          {words().seeSource}
        </a>
      </p>
      {plan.title && <h3>{plan.title}</h3>}
      {!isRollCall(plan) && <p>{onOneLine(withoutTitle(plan), "")}</p>}
      <Aims plan={plan} />
    </div>
  );
}

/** The plan, and what was added to it since: a wish for one more room is no plan of its own. */
function Plans({ plans }: { plans: readonly Plan[] }): JSX.Element | null {
  const t = words().room;
  const at = Math.max(0, plans.findIndex((plan) => plan.channels.length > 1));
  const main = plans[at];
  if (!main) return null;
  return (
    <>
      <ThePlan plan={main} />
      {at > 0 && (
        <ul class="added">
          {plans.slice(0, at).map((plan) => (
            <li key={plan.message.id}>
              <a class="source" href={pathToChannel(HUB, plan.message.id)} onClick={follow}>
                {t.added(since(plan.message.ts))}
              </a>{" "}
              <b>{plan.title}</b> {onOneLine(withoutTitle(plan), "")}
            </li>
          ))}
        </ul>
      )}
      <Earlier plans={plans.slice(at + 1)} />
    </>
  );
}

/** Other projects under way: planned before, and with rooms that are still there. */
function Earlier({ plans }: { plans: readonly Plan[] }): JSX.Element | null {
  const t = words().room;
  const open = plans.filter((plan) => plan.channels.length > 1 && plan.title && plan.channels.some(({ channelId }) => byId.value.has(channelId)));
  if (open.length === 0) return null;
  return (
    <ul class="added">
      {open.map((plan) => (
        <li key={plan.message.id}>
          <a class="source" href={pathToChannel(HUB, plan.message.id)} onClick={follow}>
            {t.planned(since(plan.message.ts))}
          </a>{" "}
          <b>{plan.title}</b>
        </li>
      ))}
    </ul>
  );
}

function Begin(): JSX.Element {
  const t = words();
  return (
    <Nothing icon="map" title={t.room.nothing}>
      <p>{t.room.nothingHint}</p>
      <p>
        <a class="button" href={pathToChannel(HUB)} onClick={follow}>
          <Icon name="chat" size={18} />
          {t.startSomething}
        </a>
      </p>
    </Nothing>
  );
}

export default function Room(): JSX.Element {
  const t = words().room;
  const { now, again } = useRead(readPlans, "plans");
  const channels = inOrder.value.filter((channel) => channel.id !== HUB);
  const newest = conversation(HUB).value.messages.findLast((message) => message.kind === "plan")?.id;
  useEffect(() => {
    if (newest) void again();
  }, [newest]);
  return (
    <View title={t.title} lead={t.lead} actions={isPausedByItself() ? undefined : <Swarm />}>
      <Shown now={now} again={() => void again()}>
        {(plans) => (
          <>
            <Plans plans={plans} />
            {channels.length === 0 ? <Begin /> : <RoomMap channels={channels} asks={waitingBy()} />}
            {channels.length > 0 && (
              <Section title={words().channels} note={t.channelsNote}>
                <ul class="lines">
                  {channels.map((channel) => (
                    <Row key={channel.id} channel={channel} plans={plans} />
                  ))}
                </ul>
              </Section>
            )}
          </>
        )}
      </Shown>
    </View>
  );
}
