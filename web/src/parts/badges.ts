// What a tool may do, in a few words; unknown is said, never taken for harmless.
import type { Effects } from "../api/tools";
import { words } from "../words";

export interface Badge {
  text: string;
  tone: "safe" | "plain" | "warn" | "bad";
}

const touchesNothing = (effects: Effects): boolean =>
  effects.filesystem?.write === false && effects.filesystem.delete === false && effects.network === false && !effects.destructive;

export function badges(effects: Effects): Badge[] {
  const t = words().tools.effect;
  const found: Badge[] = [];
  if (touchesNothing(effects)) found.push({ text: t.readOnly, tone: "safe" });
  if (effects.destructive) found.push({ text: t.destructive, tone: "bad" });
  if (effects.destructive === undefined) found.push({ text: t.unknown, tone: "warn" });
  if (effects.reversible === false) found.push({ text: t.notReversible, tone: "warn" });
  if (effects.cost?.billable) found.push({ text: t.billable, tone: "warn" });
  if (effects.filesystem?.delete) found.push({ text: t.deletes, tone: "warn" });
  else if (effects.filesystem?.write) found.push({ text: t.writes, tone: "plain" });
  if (effects.network) found.push({ text: t.network, tone: "plain" });
  if (effects.subprocess) found.push({ text: t.subprocess, tone: "plain" });
  return found;
}
