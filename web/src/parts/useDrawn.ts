// Rows that have not changed are not drawn again: in a busy channel most of what is shown was there a moment ago.
import type { VNode } from "preact";
import { useRef } from "preact/hooks";

interface Drawn {
  given: readonly unknown[];
  row: VNode;
}

/** Draws a row by its key, or gives what was drawn of the same before. Call it once for each row that is shown. */
export function useDrawn(): (key: string, given: readonly unknown[], draw: () => VNode) => VNode {
  const before = useRef<ReadonlyMap<string, Drawn>>(new Map());
  const known = before.current;
  const now = new Map<string, Drawn>();
  before.current = now;
  return (key, given, draw) => {
    const old = known.get(key);
    const row = old?.given.every((each, index) => each === given[index]) ? old.row : draw();
    now.set(key, { given, row });
    return row;
  };
}
