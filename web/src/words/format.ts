// Times, numbers and money as a person says them, in the current language.
import { computed } from "@preact/signals";
import { words } from ".";

const formats = computed(() => {
  const { locale } = words();
  return {
    clock: new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
    day: new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long" }),
    dayAndYear: new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year: "numeric" }),
    short: new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" }),
    shortYear: new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" }),
    full: new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "medium" }),
  };
});

const asDate = (ts: string): Date | null => {
  const date = new Date(ts);
  return Number.isNaN(date.getTime()) ? null : date;
};

const dayNumber = (date: Date): number => Math.floor(new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime() / 86_400_000 + 0.5);

export const sameDay = (a: string, b: string): boolean => {
  const [first, second] = [asDate(a), asDate(b)];
  return !!first && !!second && dayNumber(first) === dayNumber(second);
};

export function clock(ts: string): string {
  const date = asDate(ts);
  return date ? formats.value.clock.format(date) : "";
}

export function fullTime(ts: string): string {
  const date = asDate(ts);
  return date ? formats.value.full.format(date) : "";
}

export function dayName(ts: string): string {
  const date = asDate(ts);
  if (!date) return "";
  const now = new Date();
  const ago = dayNumber(now) - dayNumber(date);
  if (ago === 0) return words().today;
  if (ago === 1) return words().yesterday;
  return (date.getFullYear() === now.getFullYear() ? formats.value.day : formats.value.dayAndYear).format(date);
}

/** A day by its date, with the year when it is not this one. */
export function shortDay(ts: string): string {
  const date = asDate(ts);
  if (!date) return "";
  return date.getFullYear() === new Date().getFullYear() ? formats.value.short.format(date) : formats.value.shortYear.format(date);
}

/** The clock for today, the date for earlier days. */
export function shortTime(ts: string): string {
  const date = asDate(ts);
  if (!date) return "";
  return dayNumber(new Date()) === dayNumber(date) ? formats.value.clock.format(date) : formats.value.short.format(date);
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** How long ago, or until when: "3 minutes ago", "in 2 hours". */
export function since(ts: string, now = Date.now()): string {
  const date = asDate(ts);
  if (!date) return "";
  const seconds = (date.getTime() - now) / 1000;
  const format = new Intl.RelativeTimeFormat(words().locale, { numeric: "auto" });
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return format.format(Math.round(seconds / size), unit);
  }
  return words().justNow;
}

/** A length of time: "40 s", "12 min", "3 h". */
export function spanOf(ms: number): string {
  const [unit, size] = ms < 60_000 ? ["second", 1_000] : ms < 3_600_000 ? ["minute", 60_000] : ms < 172_800_000 ? ["hour", 3_600_000] : ["day", 86_400_000];
  return Math.round(ms / Number(size)).toLocaleString(words().locale, { style: "unit", unit: String(unit), unitDisplay: "narrow" });
}

export function fileSize(bytes: number): string {
  const steps = ["byte", "kilobyte", "megabyte", "gigabyte"];
  const step = Math.min(steps.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return (bytes / 1000 ** step).toLocaleString(words().locale, { style: "unit", unit: steps[step]!, unitDisplay: step ? "short" : "long", maximumFractionDigits: step ? 1 : 0 });
}

export const plainNumber = (n: number): string => n.toLocaleString(words().locale);

export const dollars = (amount: number): string =>
  amount.toLocaleString(words().locale, { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" });
