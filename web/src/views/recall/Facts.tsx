// Facts with their history: as a table of what holds, or as a timeline of what ever held.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { brainApi, type Fact } from "../../api/brain";
import { withoutMarks } from "../../markdown/oneLine";
import { Field, SearchField } from "../../parts/Field";
import { ChannelTag, SourceLink } from "../../parts/Tags";
import { Nothing, Shown, View } from "../../parts/View";
import { nameOf } from "../../state/actors";
import { searched, setSearch } from "../../state/place";
import { useLater } from "../../state/useLater";
import { useRead } from "../../state/useRead";
import { words } from "../../words/all";
import { shortDay } from "../../words/format";
import { RecallTabs } from "./tabs";

const spanOf = (fact: Fact): string => {
  const t = words().recall;
  return fact.validTo ? t.between(shortDay(fact.validFrom), shortDay(fact.validTo)) : t.since(shortDay(fact.validFrom));
};

function Table({ facts }: { facts: readonly Fact[] }): JSX.Element {
  const t = words().recall;
  return (
    <div class="sheet-scroll" tabIndex={0} role="region" aria-label={t.facts}>
      <table class="sheet-table stacks">
        <thead>
          <tr>
            <th scope="col">{t.subject}</th>
            <th scope="col">{t.fact}</th>
            <th scope="col">{t.valid}</th>
            <th scope="col">{t.source}</th>
          </tr>
        </thead>
        <tbody>
          {facts.map((fact) => (
            <tr key={fact.id}>
              <th scope="row">{fact.subject}</th>
              <td>
                {fact.predicate} <b>{withoutMarks(fact.object)}</b>{" "}
                {fact.contradicts.length > 0 && <span class="badge warn">{t.contradicted}</span>}
              </td>
              <td data-name={t.valid}>{spanOf(fact)}</td>
              <td data-name={t.source}>
                <SourceLink channelId={fact.channelId} sources={fact.sources}>
                  {fact.saidBy.map(nameOf).join(", ") || t.source}
                </SourceLink>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Timeline({ facts }: { facts: readonly Fact[] }): JSX.Element {
  const t = words().recall;
  return (
    <ol class="timeline">
      {facts.map((fact) => (
        <li key={fact.id} class={fact.validTo ? "past" : ""}>
          <p class="meta">
            <b>{spanOf(fact)}</b>
            <ChannelTag channelId={fact.channelId} />
          </p>
          <p>
            {fact.subject} {fact.predicate} <b>{withoutMarks(fact.object)}</b> {fact.contradicts.length > 0 && <span class="badge warn">{t.contradicted}</span>}
          </p>
          <SourceLink channelId={fact.channelId} sources={fact.sources}>
            {fact.saidBy.map(nameOf).join(", ") || t.source}
          </SourceLink>
        </li>
      ))}
    </ol>
  );
}

/** A day, month or year; what is not one yet is not asked for. */
const day = (typed: string): string => (/^\d{4}(-\d\d){0,2}$/.test(typed) ? typed : "");

export function Facts(): JSX.Element {
  const t = words().recall;
  const [subject, setSubject] = useState(searched("subject"));
  const [at, setAt] = useState(searched("at"));
  const [timeline, setTimeline] = useState(searched("as") === "timeline");
  const [asOf, setAsOf] = useState(searched("asOf"));
  const asked = useLater(JSON.stringify({ subject, at, asOf, timeline }), 250);
  const { now, again } = useRead(() => (timeline ? brainApi.timeline(subject, day(asOf)) : brainApi.facts(subject, day(at), day(asOf))), asked);
  useEffect(() => setSearch({ subject, at, asOf, as: timeline ? "timeline" : "" }), [asked]);
  return (
    <View title={t.title} lead={t.factsLead} tabs={<RecallTabs />}>
      <div class="filters facts-of">
        <SearchField label={t.subject} value={subject} onValue={setSubject} />
        {!timeline && <Field label={t.at} placeholder="2026-03-15" value={at} onValue={setAt} />}
        <Field label={words().care.asOf} placeholder="2026-03-15" value={asOf} onValue={setAsOf} />
      </div>
      <div class="feed-filter" role="group" aria-label={t.facts}>
        <button type="button" class="quiet small" aria-pressed={!timeline} onClick={() => setTimeline(false)}>
          {t.asTable}
        </button>
        <button type="button" class="quiet small" aria-pressed={timeline} onClick={() => setTimeline(true)}>
          {t.asTimeline}
        </button>
      </div>
      <Shown now={now} again={() => void again()}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing icon="archive" title={t.noFacts}>
              <p>{t.noFactsHint}</p>
            </Nothing>
          ) : timeline ? (
            <Timeline facts={items} />
          ) : (
            <Table facts={items} />
          )
        }
      </Shown>
    </View>
  );
}
