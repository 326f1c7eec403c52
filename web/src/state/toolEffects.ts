// The effects of tools that a conversation mentions, asked for once each.
import { signal } from "@preact/signals";
import { toolsApi, type Effects } from "../api/tools";

const known = signal<ReadonlyMap<string, Effects>>(new Map());
const asked = new Set<string>();

export function effectsOf(tool: string): Effects | null {
  if (!asked.has(tool)) {
    asked.add(tool);
    toolsApi.get(tool).then(
      ({ effects }) => (known.value = new Map(known.value).set(tool, effects)),
      () => {
        // A tool that is no longer there has no badge.
      },
    );
  }
  return known.value.get(tool) ?? null;
}
