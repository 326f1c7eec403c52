// Putting a question off until a better time.
import type { JSX } from "preact";
import { words } from "../words";

const HOUR_MS = 3_600_000;

function nextMorning(days: number): number {
  const morning = new Date();
  morning.setDate(morning.getDate() + days);
  morning.setHours(9, 0, 0, 0);
  return morning.getTime();
}

const nextMonday = (): number => nextMorning(((8 - new Date().getDay()) % 7) || 7);

export function Snooze({ busy, snooze }: { busy: boolean; snooze: (untilMs: number) => void }): JSX.Element {
  const t = words();
  const times: [string, () => number][] = [
    [t.snoozeHour, () => Date.now() + HOUR_MS],
    [t.snoozeTomorrow, () => nextMorning(1)],
    [t.snoozeMonday, nextMonday],
  ];
  return (
    <select
      class="snooze"
      aria-label={t.snooze}
      disabled={busy}
      value=""
      onChange={(event) => {
        const chosen = times[Number(event.currentTarget.value)];
        event.currentTarget.value = "";
        if (chosen) snooze(chosen[1]());
      }}
    >
      <option value="" disabled hidden>
        {t.snooze}
      </option>
      {times.map(([name], index) => (
        <option key={name} value={index}>
          {name}
        </option>
      ))}
    </select>
  );
}
