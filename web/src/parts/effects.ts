// What a tool's effects come to.
import type { Effects } from "../api/tools";

export const onlyReads = (effects: Effects): boolean =>
  effects.filesystem?.write === false && effects.filesystem.delete === false && effects.network === false && !effects.destructive && !effects.subprocess;

// What a reason to ask says of the call, by the reason's code.
const ASKED: Record<string, Partial<Effects>> = {
  launches_programs: { subprocess: true },
  destructive: { destructive: true },
  network: { network: true },
  billable: { cost: { billable: true } },
};

/** What a call may do: what its tool says of itself, and what the call is asked about for. */
export const asked = (effects: Effects, codes: readonly string[]): Effects =>
  Object.assign({}, effects, ...codes.map((code) => ASKED[code] ?? {})) as Effects;
