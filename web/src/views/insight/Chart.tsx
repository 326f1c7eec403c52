// A small chart drawn by hand: lines or bars over time, read out by its caption and by the table of its numbers.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { words } from "../../words";
import { clock, shortTime } from "../../words/format";

export interface Series {
  name: string;
  tone: "ask" | "team" | "accent" | "biz";
  values: readonly number[];
}

interface Props {
  title: string;
  note: string;
  times: readonly string[];
  series: readonly Series[];
  bars?: boolean;
  format?: (value: number) => string;
  /** Longer steps than a day are told by their date. */
  byDay?: boolean;
}

const W = 640;
const H = 190;
const LEFT = 40;
const BOTTOM = 24;
const TOP = 10;
const innerW = W - LEFT - 8;
const innerH = H - TOP - BOTTOM;

/** A round number at or above the largest value: 1, 2, 5, 10, 20, 50 … */
export function niceTop(most: number): number {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 4, 5, 10].find((each) => each * power >= most) ?? 10;
  return step * power;
}

const plain = (value: number): string => value.toLocaleString(words().locale, { maximumFractionDigits: 2 });

function Grid({ top, format, labels }: { top: number; format: (value: number) => string; labels: readonly string[] }): JSX.Element {
  return (
    <g class="grid" aria-hidden="true">
      {[0, 0.5, 1].map((share) => {
        const y = TOP + innerH * (1 - share);
        return (
          <g key={share}>
            <line x1={LEFT} x2={W - 8} y1={y} y2={y} />
            <text x={LEFT - 8} y={y + 4} class="axis end">
              {format(top * share)}
            </text>
          </g>
        );
      })}
      {labels.map((label, index) => (
        <text key={index} x={LEFT + (innerW * index) / Math.max(1, labels.length - 1)} y={H - 6} class={`axis ${index === 0 ? "" : index === labels.length - 1 ? "end" : "middle"}`}>
          {label}
        </text>
      ))}
    </g>
  );
}

function Line({ series, top }: { series: Series; top: number }): JSX.Element {
  const x = (index: number): number => LEFT + (innerW * index) / Math.max(1, series.values.length - 1);
  const y = (value: number): number => TOP + innerH * (1 - value / top);
  const points = series.values.map((value, index) => `${x(index).toFixed(1)} ${y(value).toFixed(1)}`);
  return (
    <g class={`series ${series.tone}`}>
      <path class="area" d={`M${LEFT} ${TOP + innerH}L${points.join("L")}L${x(series.values.length - 1).toFixed(1)} ${TOP + innerH}Z`} />
      <path class="line-path" d={`M${points.join("L")}`} />
    </g>
  );
}

function Bars({ series, top }: { series: Series; top: number }): JSX.Element {
  const step = innerW / Math.max(1, series.values.length);
  return (
    <g class={`series ${series.tone}`}>
      {series.values.map((value, index) => {
        const height = (innerH * value) / top;
        return <rect key={index} x={LEFT + step * index + step * 0.15} y={TOP + innerH - height} width={Math.max(1, step * 0.7)} height={height} rx={Math.min(2, step * 0.2)} />;
      })}
    </g>
  );
}

function Numbers({ times, series, format, name }: { times: readonly string[]; series: readonly Series[]; format: (value: number) => string; name: (ts: string) => string }): JSX.Element {
  const t = words().insight;
  const rows = times.map((ts, index) => ({ ts, values: series.map((each) => each.values[index] ?? 0) })).filter((row) => row.values.some(Boolean));
  if (rows.length === 0) return <p class="soft">{t.noNumbers}</p>;
  return (
    <div class="numbers" tabIndex={0} role="region" aria-label={t.numbers}>
      <table class="sheet-table">
        <thead>
          <tr>
            <th scope="col">{t.time}</th>
            {series.map((each) => (
              <th key={each.name} scope="col" class="number">
                {each.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.reverse().map((row) => (
            <tr key={row.ts}>
              <th scope="row">{name(row.ts)}</th>
              {row.values.map((value, index) => (
                <td key={index} class="number">
                  {format(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Chart({ title, note, times, series, bars, format = plain, byDay }: Props): JSX.Element {
  const t = words().insight;
  const [open, setOpen] = useState(false);
  const top = niceTop(Math.max(0, ...series.flatMap((each) => each.values)));
  const name = (ts: string): string => (byDay ? shortTime(ts) : clock(ts));
  const sums = series.map((each) => `${each.name}: ${format(each.values.reduce((sum, value) => sum + value, 0))}`).join(", ");
  const marks = times.length > 1 ? [0, 1, 2, 3, 4].map((n) => name(times[Math.round(((times.length - 1) * n) / 4)]!)) : [];
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <p>{note}</p>
        <ul class="legend" aria-hidden="true">
          {series.map((each) => (
            <li key={each.name} class={each.tone}>
              <span />
              {each.name}
            </li>
          ))}
        </ul>
      </figcaption>
      <svg viewBox={`0 0 ${W} ${H}`} role="img" aria-label={`${title}. ${sums}`}>
        <Grid top={top} format={format} labels={marks} />
        {series.map((each) => (bars ? <Bars key={each.name} series={each} top={top} /> : <Line key={each.name} series={each} top={top} />))}
      </svg>
      <button type="button" class="quiet small start" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? t.hideNumbers : t.showNumbers}
      </button>
      {open && <Numbers times={times} series={series} format={format} name={name} />}
    </figure>
  );
}
