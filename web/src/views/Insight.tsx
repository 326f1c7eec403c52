// How it goes: Prime growing quieter, what it costs, and recall at hand.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { hubApi, type Metrics, type Point } from "../api/hub";
import { SearchField } from "../parts/Field";
import { Shown, View } from "../parts/View";
import { go, searched, setSearch } from "../state/place";
import { status } from "../state/status";
import { useRead } from "../state/useRead";
import { words } from "../words/all";
import { dollars, plainNumber, spanOf } from "../words/format";
import { Chart } from "./insight/Chart";
import { HOUR, hourly, sumsUpTo } from "./insight/sums";

const MINUTE = 60_000;
const RANGES = {
  hour: { length: HOUR, step: MINUTE },
  day: { length: 24 * HOUR, step: 15 * MINUTE },
  week: { length: 7 * 24 * HOUR, step: 2 * HOUR },
  month: { length: 30 * 24 * HOUR, step: 12 * HOUR },
} as const;
type Range = keyof typeof RANGES;
const REFRESH_MS = 20_000;

const isRange = (name: string): name is Range => name in RANGES;

function Tiles({ metrics }: { metrics: Metrics }): JSX.Element {
  const t = words().insight;
  const now = status.value.state === "ready" ? status.value.value : null;
  const { totals } = metrics;
  const tiles: [string, string][] = [
    [t.perHour, plainNumber(metrics.questionsPerHour)],
    [t.settled, plainNumber(totals.autoResolved)],
    [t.answered, plainNumber(totals.answered)],
    [t.timeToAnswer, totals.timeToAnswerMs === null ? "–" : spanOf(totals.timeToAnswerMs)],
    [t.ruleHits, plainNumber(totals.ruleHits)],
    [t.spent, dollars(now?.spend.dollars ?? totals.dollars)],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Which tools were used, the most used first; the bars repeat what the numbers say. */
function ToolUse({ tools }: { tools: Metrics["tools"] }): JSX.Element {
  const t = words().insight;
  const most = Math.max(1, ...tools.map((tool) => tool.calls));
  return (
    <figure class="chart">
      <figcaption>
        <h3>{t.mostUsed}</h3>
        <p>{t.mostUsedNote}</p>
      </figcaption>
      {tools.length === 0 ? (
        <p class="soft">{t.noTools}</p>
      ) : (
        <ol class="use">
          {tools.map((tool) => (
            <li key={tool.name}>
              <span class="mono">{tool.name}</span>
              <span class="use-bar" aria-hidden="true">
                <span style={{ width: `${(100 * tool.calls) / most}%` }} />
              </span>
              <span>{plainNumber(tool.calls)}</span>
            </li>
          ))}
        </ol>
      )}
    </figure>
  );
}

/** The fewest steps that are drawn. */
const FEWEST = 12;
const isStill = (point: Point): boolean => !(point.asked || point.autoResolved || point.surfaced || point.messages || point.toolCalls || point.calls || point.ruleHits);

/** From shortly before anything happened on: a first hour is not drawn as an empty one with something at its edge. */
function eventful(items: readonly Point[]): readonly Point[] {
  const first = items.findIndex((point) => !isStill(point));
  return first < 0 ? items : items.slice(Math.max(0, Math.min(first - 1, items.length - FEWEST)));
}

function Charts({ metrics, byDay }: { metrics: Metrics; byDay: boolean }): JSX.Element {
  const t = words().insight;
  const points = eventful(metrics.items);
  const times = points.map((point) => point.ts);
  const of = (read: (point: Point) => number): number[] => points.map(read);
  return (
    <>
      <Chart
        title={t.quieter}
        note={t.quieterNote}
        times={times}
        byDay={byDay}
        series={[
          { name: t.perHourNow, tone: "ask", values: hourly(of((point) => point.asked), metrics.stepMs) },
          { name: t.settledInAll, tone: "team", values: sumsUpTo(metrics.totals.autoResolved, of((point) => point.autoResolved)) },
        ]}
      />
      <Chart
        bars
        wide
        title={t.each}
        note={t.eachNote}
        times={times}
        byDay={byDay}
        series={[
          { name: t.asked, tone: "ask", values: of((point) => point.asked) },
          { name: t.settled, tone: "team", values: of((point) => point.autoResolved) },
        ]}
      />
      <div class="charts">
        <Chart
          bars
          title={t.toolUse}
          note={t.toolUseNote}
          times={times}
          byDay={byDay}
          series={[
            { name: t.toolCalls, tone: "accent", values: of((point) => point.toolCalls) },
            { name: t.toolFailures, tone: "ask", values: of((point) => point.toolFailures) },
          ]}
        />
        <ToolUse tools={metrics.tools} />
        <Chart bars title={t.ruleHits} note={t.ruleHitsNote} times={times} byDay={byDay} series={[{ name: t.ruleHits, tone: "accent", values: of((point) => point.ruleHits) }]} />
        <Chart bars title={t.traffic} note={t.trafficNote} times={times} byDay={byDay} series={[{ name: t.messages, tone: "accent", values: of((point) => point.messages) }]} />
        <Chart bars title={t.calls} note={t.callsNote} times={times} byDay={byDay} series={[{ name: t.calls, tone: "biz", values: of((point) => point.calls) }]} />
        <Chart bars title={t.spent} note={t.spentNote} times={times} byDay={byDay} format={dollars} series={[{ name: t.spent, tone: "biz", values: of((point) => point.dollars) }]} />
      </div>
    </>
  );
}

function Recall(): JSX.Element {
  const [q, setQ] = useState("");
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        go(`/recall?q=${encodeURIComponent(q)}`);
      }}
    >
      <SearchField label={words().insight.recall} value={q} onValue={setQ} />
    </form>
  );
}

export default function Insight(): JSX.Element {
  const t = words().insight;
  const [range, setRange] = useState<Range>(() => {
    const wanted = searched("range");
    return isRange(wanted) ? wanted : "hour";
  });
  const { length, step } = RANGES[range];
  const { now, again } = useRead(() => hubApi.metrics(Date.now() - length, step), range);
  useEffect(() => setSearch({ range: range === "hour" ? "" : range }), [range]);
  useEffect(() => {
    const timer = setInterval(() => void again(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [again]);
  return (
    <View
      title={t.title}
      lead={t.lead}
      actions={
        <div class="feed-filter" role="group" aria-label={t.range}>
          {(Object.keys(RANGES) as Range[]).map((name) => (
            <button key={name} type="button" class="quiet small" aria-pressed={range === name} onClick={() => setRange(name)}>
              {t.ranges[name]}
            </button>
          ))}
        </div>
      }
    >
      <Recall />
      <Shown now={now} again={() => void again()}>
        {(metrics) => (
          <>
            <Tiles metrics={metrics} />
            <Charts metrics={metrics} byDay={range === "week" || range === "month"} />
          </>
        )}
      </Shown>
    </View>
  );
}
