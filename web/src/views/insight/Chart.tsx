// A small chart drawn by hand: lines or bars over time, read out by its caption and by the table of its numbers.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { cramped } from "../../state/narrow";
import { words } from "../../words/all";
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
  /** Over the whole width, bars or not. */
  wide?: boolean;
  format?: (value: number) => string;
  /** Longer steps than a day are told by their date. */
  byDay?: boolean;
}

const LEFT = 40;
/** A bar of few is no wall. */
const WIDEST = 22;
const BOTTOM = 24;
const TOP = 10;

interface Size {
  width: number;
  height: number;
}

/** Drawn for the space that it has, so that its figures are as large as the text around it. */
const sizeOf = (half: boolean): Size => (cramped.value ? { width: half ? 320 : 420, height: half ? 150 : 170 } : half ? { width: 380, height: 150 } : { width: 790, height: 210 });
const inner = ({ width, height }: Size): Size => ({ width: width - LEFT - 8, height: height - TOP - BOTTOM });

/** A round number at or above the largest value: 1, 2, 5, 10, 20, 50 … */
export function niceTop(most: number): number {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 4, 5, 10].find((each) => each * power >= most) ?? 10;
  return step * power;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

const plain = (value: number): string => value.toLocaleString(words().locale, { maximumFractionDigits: 2 });

function Grid({ top, format, labels, size }: { top: number; format: (value: number) => string; labels: readonly string[]; size: Size }): JSX.Element {
  const { width, height } = inner(size);
  return (
    <g class="grid" aria-hidden="true">
      {(top < 2 && format === plain ? [0, 1] : [0, 0.5, 1]).map((share) => {
        const y = TOP + height * (1 - share);
        return (
          <g key={share}>
            <line x1={LEFT} x2={size.width - 8} y1={y} y2={y} />
            <text x={LEFT - 8} y={y + 4} class="axis end">
              {format(top * share)}
            </text>
          </g>
        );
      })}
      {labels.map((label, index) => (
        <text key={index} x={LEFT + (width * index) / Math.max(1, labels.length - 1)} y={size.height - 6} class={`axis ${index === 0 ? "" : index === labels.length - 1 ? "end" : "middle"}`}>
          {label}
        </text>
      ))}
    </g>
  );
}

function Line({ series, top, size }: { series: Series; top: number; size: Size }): JSX.Element {
  const { width, height } = inner(size);
  const x = (index: number): number => LEFT + (width * index) / Math.max(1, series.values.length - 1);
  const y = (value: number): number => TOP + height * (1 - value / top);
  const points = series.values.map((value, index) => `${x(index).toFixed(1)} ${y(value).toFixed(1)}`);
  return (
    <g class={`series ${series.tone}`}>
      <path class="area" d={`M${LEFT} ${TOP + height}L${points.join("L")}L${x(series.values.length - 1).toFixed(1)} ${TOP + height}Z`} />
      <path class="line-path" d={`M${points.join("L")}`} />
      <circle class="line-end" cx={x(series.values.length - 1)} cy={y(series.values.at(-1) ?? 0)} r={4} />
    </g>
  );
}

function Bars({ series, top, size, place, of }: { series: Series; top: number; size: Size; place: number; of: number }): JSX.Element {
  const { width, height } = inner(size);
  const step = width / Math.max(1, series.values.length);
  const wide = Math.max(1, Math.min(WIDEST, (step * 0.7) / of));
  return (
    <g class={`series ${series.tone}`}>
      {series.values.map((value, index) => {
        const tall = (height * value) / top;
        return <rect key={index} x={LEFT + step * (index + 0.5) + wide * (place - of / 2)} y={TOP + height - tall} width={wide} height={tall} rx={Math.min(2, step * 0.2)} />;
      })}
    </g>
  );
}

function Numbers({ times, series, format, name }: { times: readonly string[]; series: readonly Series[]; format: (value: number) => string; name: (ts: string) => string }): JSX.Element {
  const t = words().insight;
  const rows = times.map((ts, index) => ({ ts, values: series.map((each) => each.values[index] ?? 0) })).filter((row) => row.values.some(Boolean));
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

export function Chart({ title, note, times, series, bars, wide, format = plain, byDay }: Props): JSX.Element {
  const t = words().insight;
  const [open, setOpen] = useState(false);
  // An empty chart says less than a sentence.
  const quiet = series.every((each) => each.values.every((value) => value === 0));
  const size = sizeOf(!!bars && !wide);
  const top = niceTop(Math.max(0, ...series.flatMap((each) => each.values)));
  const name = (ts: string): string => (byDay ? shortTime(ts) : clock(ts));
  // A line is told by where it begins and ends, bars by their sum.
  const told = (values: readonly number[]): string => (bars ? format(sum(values)) : `${format(values[0] ?? 0)} – ${format(values.at(-1) ?? 0)}`);
  const sums = series.map((each) => `${each.name}: ${told(each.values)}`).join(", ");
  const marks = times.length > 1 ? (size.width < 500 ? [0, 2, 4] : [0, 1, 2, 3, 4]).map((n) => name(times[Math.round(((times.length - 1) * n) / 4)]!)) : [];
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <p>{note}</p>
        <ul class={`legend ${bars ? "" : "lines-drawn"}`} aria-hidden="true">
          {series.map((each) => (
            <li key={each.name} class={each.tone}>
              <span />
              {each.name} <b>{format(bars ? sum(each.values) : (each.values.at(-1) ?? 0))}</b>
            </li>
          ))}
        </ul>
      </figcaption>
      {quiet ? (
        <p class="soft">{t.noNumbers}</p>
      ) : (
        <>
          <svg viewBox={`0 0 ${size.width} ${size.height}`} role="img" aria-label={`${title}. ${sums}`}>
            <Grid top={top} format={format} labels={marks} size={size} />
            {series.map((each, place) => (bars ? <Bars key={each.name} series={each} top={top} size={size} place={place} of={series.length} /> : <Line key={each.name} series={each} top={top} size={size} />))}
          </svg>
          <button type="button" class="quiet small start" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? t.hideNumbers : t.showNumbers}
          </button>
          {open && <Numbers times={times} series={series} format={format} name={name} />}
        </>
      )}
    </figure>
  );
}
