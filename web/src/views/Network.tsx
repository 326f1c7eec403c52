// The network: agents that this Prime knows, connecting one by its address, getting in touch.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { networkApi, type Agent } from "../api/network";
import type { Channel, Tier } from "../api/types";
import { Choice, Field, SearchField } from "../parts/Field";
import { TierMark } from "../parts/Icon";
import { TroubleNote } from "../parts/TroubleNote";
import { Nothing, Section, Shown, View } from "../parts/View";
import { inOrder, loadChannels, TIERS } from "../state/channels";
import { follow, go, pathToChannel, searched, setSearch } from "../state/place";
import { useAct } from "../state/useAct";
import { useLater } from "../state/useLater";
import { useRead } from "../state/useRead";
import { words } from "../words/all";
import { fullTime, since } from "../words/format";

async function arrive(contacted: Promise<{ channelId: string }>): Promise<void> {
  const { channelId } = await contacted;
  await loadChannels();
  go(pathToChannel(channelId));
}

const tierOptions = (): { value: Tier; name: string }[] => TIERS.map((value) => ({ value, name: words().tier(value) }));

function Connect(): JSX.Element {
  const t = words().network;
  const [url, setUrl] = useState("");
  const [tier, setTier] = useState<Tier>("team");
  const { busy, trouble, act } = useAct();
  const submit = (event: Event): void => {
    event.preventDefault();
    if (url.trim()) void act(() => arrive(networkApi.connect(url.trim(), tier)));
  };
  return (
    <form class="form" noValidate onSubmit={submit}>
      <div class="filters hinted">
        <Field label={t.address} type="url" placeholder="https://prime.example.com" value={url} onValue={setUrl} />
        <Choice label={t.tier} value={tier} onValue={(value) => setTier(value as Tier)} options={tierOptions()} hint={words().tierMeaning(tier)} />
      </div>
      {trouble && <TroubleNote trouble={trouble} />}
      <p class="acts">
        <button type="submit" class="go" disabled={busy || !url.trim()}>
          {busy ? t.connecting : t.connect}
        </button>
      </p>
    </form>
  );
}

function Life({ agent }: { agent: Agent }): JSX.Element {
  const t = words().network;
  return (
    <p class="meta">
      <span class="life">
        <span class={`dot ${agent.online ? "ok" : "away"}`} aria-hidden="true" />
        {/* Whoever never sends a heartbeat is not away: it answers when it is asked, or has not been asked. */}
        {agent.online ? t.online : agent.lastSeenAt ? t.offline : t.silent}
      </span>
      <span>{agent.lastAnsweredAt ? t.answered(since(agent.lastAnsweredAt)) : t.neverAnswered}</span>
      {agent.lastSeenAt && <span title={fullTime(agent.lastSeenAt)}>{t.seen(since(agent.lastSeenAt))}</span>}
    </p>
  );
}

/** Where it is spoken with already: the room of them both. */
const roomWith = (agent: Agent): Channel | undefined => inOrder.value.find(({ kind, members }) => kind === "dm" && members.includes(`act_${agent.agentId}`));

function Card({ agent, changed }: { agent: Agent; changed: () => void }): JSX.Element {
  const t = words().network;
  const room = roomWith(agent);
  const [tier, setTier] = useState<Tier>("external");
  const { busy, trouble, act } = useAct();
  return (
    <li class="panel">
      <div class="panel-head">
        <h4>{agent.name}</h4>
        {agent.kind !== "custom" && <span class="badge plain">{agent.kind}</span>}
        <Life agent={agent} />
      </div>
      <p class="soft mono break">{agent.endpoint}</p>
      {agent.owner && <p class="soft">{t.ownedBy(agent.owner)}</p>}
      {agent.capabilities.length > 0 && (
        <ul class="badges" aria-label={t.capabilities}>
          {agent.capabilities.map((capability) => (
            <li key={capability} class="badge plain">
              {capability}
            </li>
          ))}
        </ul>
      )}
      {trouble && <TroubleNote trouble={trouble} />}
      <div class="acts contact">
        {room ? (
          <a class="button" href={pathToChannel(room.id)} onClick={follow}>
            <TierMark tier={room.tier} />
            {t.goThere}
          </a>
        ) : (
          <>
            <Choice label={t.tier} value={tier} onValue={(value) => setTier(value as Tier)} options={tierOptions()} />
            <button type="button" disabled={busy} onClick={() => void act(() => arrive(networkApi.contact(agent.agentId, tier)))}>
              {t.contact}
            </button>
          </>
        )}
        <button type="button" class="quiet" disabled={busy} onClick={() => void act(() => networkApi.remove(agent.agentId)).then((ok) => ok && changed())}>
          {t.remove}
        </button>
      </div>
    </li>
  );
}

export default function Network(): JSX.Element {
  const t = words().network;
  const [q, setQ] = useState(searched("q"));
  const later = useLater(q);
  useEffect(() => setSearch({ q: later }), [later]);
  const { now, again } = useRead(() => networkApi.agents(later), later);
  return (
    <View title={t.title} lead={t.lead}>
      <Section title={t.connectTitle} note={t.connectNote}>
        <Connect />
      </Section>
      <Section title={t.directory} note={now.state === "ready" && !later && now.value.count > 0 ? t.count(now.value.count) : undefined}>
        <SearchField label={t.find} value={q} onValue={setQ} />
        <Shown now={now} again={() => void again()}>
          {(page) =>
            page.items.length === 0 ? (
              <Nothing icon="network" title={later ? t.nothingFits : t.nobody}>
                <p>{later ? t.nothingFitsHint : t.nobodyHint}</p>
              </Nothing>
            ) : (
              <ul class="panels two">
                {page.items.map((agent) => (
                  <Card key={agent.agentId} agent={agent} changed={() => void again()} />
                ))}
              </ul>
            )
          }
        </Shown>
      </Section>
    </View>
  );
}
