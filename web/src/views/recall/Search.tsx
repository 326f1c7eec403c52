// Recall: a few words, some filters, and where it was said.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { brainApi, type Hit } from "../../api/brain";
import { HUB } from "../../api/types";
import { withoutMarks } from "../../markdown/oneLine";
import { Choice, Field, SearchField } from "../../parts/Field";
import { Paged } from "../../parts/Paged";
import { ChannelTag } from "../../parts/Tags";
import { Nothing, View } from "../../parts/View";
import { actors, nameOf } from "../../state/actors";
import { byId, inOrder } from "../../state/channels";
import { follow, pathToChannel, searched, setSearch } from "../../state/place";
import { useLater } from "../../state/useLater";
import { words } from "../../words/all";
import { fullTime, shortTime } from "../../words/format";
import { RecallTabs } from "./tabs";

const KINDS = ["text", "note", "brief", "plan", "question", "answer", "tool_result"] as const;

interface Filters {
  from: string;
  in: string;
  kind: string;
  after: string;
}

const quoted = (value: string): string => (/\s/.test(value) ? `"${value.replaceAll('"', "")}"` : value);

/** Words and filters as the one line that recall understands. */
export function asQuery(q: string, filters: Filters): string {
  const parts = (Object.entries(filters) as [keyof Filters, string][]).filter(([, value]) => value).map(([name, value]) => `${name}:${quoted(value)}`);
  return [...parts, q.trim()].filter(Boolean).join(" ");
}

function HitRow({ hit }: { hit: Hit }): JSX.Element {
  const t = words();
  return (
    <li>
      <a class="line hit" href={pathToChannel(hit.channelId, hit.messageId)} onClick={follow}>
        <span class="line-main">
          <span class="snippet">{hit.pieces.map((piece, index) => (piece.match ? <mark key={index}>{piece.text}</mark> : <span key={index}>{withoutMarks(piece.text)}</span>))}</span>
          <span class="meta">
            <ChannelTag channelId={hit.channelId} />
            <span>{nameOf(hit.actorId)}</span>
            {hit.kind !== "text" && <span>{t.recall.kind(hit.kind)}</span>}
            <time dateTime={hit.ts} title={fullTime(hit.ts)}>
              {shortTime(hit.ts)}
            </time>
          </span>
        </span>
      </a>
    </li>
  );
}

function Found({ query }: { query: string }): JSX.Element {
  const t = words().recall;
  return (
    <Paged
      read={(cursor) => brainApi.recall(query, cursor)}
      of={query}
      row={(hit) => <HitRow key={hit.feedItemId ?? hit.messageId} hit={hit} />}
      counted={t.found}
      nothing={
        <Nothing icon="search" title={t.nothing}>
          <p>{t.nothingHint}</p>
        </Nothing>
      }
    />
  );
}

const channelName = (id: string): string => (id === HUB ? words().prime : (byId.value.get(id)?.name ?? id));

function FilterRow({ filters, change }: { filters: Filters; change: (filters: Filters) => void }): JSX.Element {
  const t = words().recall;
  const anyone = { value: "", name: t.anyone };
  const names = [...new Set([...actors.value.values()].map((actor) => actor.name))];
  return (
    <div class="filters four">
      <Choice label={t.from} value={filters.from} onValue={(from) => change({ ...filters, from })} options={[anyone, ...names.map((name) => ({ value: name, name }))]} />
      <Choice
        label={t.in}
        value={filters.in}
        onValue={(value) => change({ ...filters, in: value })}
        options={[{ value: "", name: t.anywhere }, ...inOrder.value.map((channel) => ({ value: channel.name, name: channelName(channel.id) }))]}
      />
      <Choice label={t.what} value={filters.kind} onValue={(kind) => change({ ...filters, kind })} options={[{ value: "", name: t.anything }, ...KINDS.map((value) => ({ value, name: t.kind(value) }))]} />
      <Field label={t.after} value={filters.after} placeholder="2026-03" onValue={(after) => change({ ...filters, after })} />
    </div>
  );
}

export function Search(): JSX.Element {
  const t = words().recall;
  const [q, setQ] = useState(searched("q"));
  const [filters, setFilters] = useState<Filters>({ from: searched("from"), in: searched("in"), kind: searched("kind"), after: searched("after") });
  const query = useLater(asQuery(q, filters));
  useEffect(() => setSearch({ q, ...filters }), [query]);
  return (
    <View title={t.title} lead={t.lead} tabs={<RecallTabs />}>
      <SearchField label={t.find} value={q} onValue={setQ} autofocus />
      <FilterRow filters={filters} change={setFilters} />
      {query ? (
        <Found query={query} />
      ) : (
        <Nothing icon="search" title={t.empty}>
          <p>{t.emptyHint}</p>
        </Nothing>
      )}
    </View>
  );
}
