// Which messages are in the page: a few screenfuls around what the person looks at. Rows are added at the side they scroll
// to and taken away at the other, and what they look at does not move.
import { useLayoutEffect, useRef, useState, type MutableRef } from "preact/hooks";

const STEP = 20;
/** How many rows are drawn before it is known how tall they are, and the fewest that are kept then. */
const FIRST_SIGHT = 40;
const FEWEST = 12;
const SCREENFULS = 3;
const NEAR_END_PX = 40;
/** What a person does to scroll. */
const OWN_MOVES = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

interface Span {
  from: number;
  to: number;
}

export interface SpanView extends Span {
  scroller: MutableRef<HTMLDivElement | null>;
  following: boolean;
  /** How many messages came since the person left the end. */
  unseen: number;
  onScroll: () => void;
  toEnd: () => void;
  /** Brings the message at this place into view. */
  show: (place: number, id: string) => void;
}

/** A row and where one of its edges is, from the top of the scrolled pane. */
interface Anchor {
  id: string;
  edge: "top" | "bottom";
  at: number;
}

/** The first row in sight, by its lower edge: a row may lose the day above its words when older ones arrive. */
function firstVisible(scroller: HTMLElement): Anchor | null {
  const top = scroller.getBoundingClientRect().top;
  for (const row of scroller.querySelectorAll<HTMLElement>("[data-id]")) {
    const { bottom } = row.getBoundingClientRect();
    if (bottom > top) return { id: row.dataset["id"]!, edge: "bottom", at: bottom - top };
  }
  return null;
}

function holdStill(scroller: HTMLElement, { id, edge, at }: Anchor): void {
  const row = scroller.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`);
  const now = row && row.getBoundingClientRect()[edge] - scroller.getBoundingClientRect().top;
  if (now !== null && Math.abs(now - at) >= 1) scroller.scrollTop += now - at;
}

/** A pane that became lower (a banner came) shows the row as before, with as little scrolling as that takes. */
function keepInSight(scroller: HTMLElement, id: string): void {
  const row = scroller.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)?.getBoundingClientRect();
  if (!row) return;
  const { top } = scroller.getBoundingClientRect();
  const below = row.bottom - (top + scroller.clientHeight);
  if (below > 0) scroller.scrollTop += Math.ceil(below);
  else if (row.top < top) scroller.scrollTop -= Math.ceil(top - row.top);
}

function within(held: Span | null, first: number, end: number): Span | null {
  if (!held) return null;
  const span = { from: Math.max(held.from, first), to: Math.min(held.to, end) };
  return span.from < span.to ? span : null;
}

export function useSpan(first: number, end: number, loadMore: () => void, loadNewer: () => void): SpanView {
  const scroller = useRef<HTMLDivElement>(null);
  const [held, setHeld] = useState<Span | null>(null);
  const anchor = useRef<Anchor | null>(null);
  const lastTop = useRef(0);
  const leftAt = useRef(end);
  // Who followed a link to a message stays with it until they move themselves, also where the end is in sight.
  const pinned = useRef<string | null>(null);
  // How many rows are drawn while the end is in sight. Made smaller once, when they prove tall; larger as often as needed.
  const [sight, setSight] = useState(FIRST_SIGHT);
  const fitted = useRef(false);
  // After a gap the conversation begins anew, and places held from before mean nothing.
  const valid = within(held, first, end);
  const span = valid ?? { from: Math.max(first, end - sight), to: end };

  const widen = (up: boolean): void => {
    const el = scroller.current;
    if (!el || el.clientHeight === 0) return;
    const height = el.clientHeight;
    const below = el.scrollHeight - height - el.scrollTop;
    const rowHeight = Math.max(20, el.scrollHeight / Math.max(1, span.to - span.from));
    const screenful = Math.ceil(height / rowHeight);
    const step = Math.min(STEP, screenful);
    const enough = (SCREENFULS - 1) * screenful + step;
    if (up && el.scrollTop < height) {
      if (span.from === first) return loadMore();
      const from = Math.max(first, span.from - step);
      setHeld({ from, to: Math.min(span.to, from + enough) });
    } else if (!up && below < height && span.to === end) {
      loadNewer();
    } else if (!up && below < height) {
      const to = Math.min(end, span.to + step);
      setHeld({ from: Math.max(span.from, to - enough), to });
    }
  };

  const fit = (el: HTMLElement): void => {
    const screenfuls = el.scrollHeight / Math.max(1, el.clientHeight);
    if (screenfuls < SCREENFULS / 2 && span.from > first) setSight(sight + STEP);
    else if (screenfuls > SCREENFULS && !fitted.current && el.clientHeight > 0) {
      fitted.current = true;
      setSight(Math.max(FEWEST, Math.floor((SCREENFULS * (span.to - span.from)) / screenfuls)));
    }
  };

  const onScroll = (): void => {
    const el = scroller.current;
    if (!el) return;
    // We did that ourselves, to hold something still.
    if (el.scrollTop === lastTop.current) return;
    const up = el.scrollTop < lastTop.current;
    lastTop.current = el.scrollTop;
    anchor.current = firstVisible(el);
    const below = el.scrollHeight - el.clientHeight - el.scrollTop;
    if (below < NEAR_END_PX && span.to === end && !pinned.current) {
      if (valid) setHeld(null);
      return;
    }
    if (!valid) {
      leftAt.current = end;
      setHeld(span);
    }
    widen(up);
  };

  useLayoutEffect(() => {
    const el = scroller.current;
    if (!el) return;
    if (!valid) {
      el.scrollTop = el.scrollHeight;
      if (el.scrollHeight <= el.clientHeight && span.from === first) loadMore();
      else fit(el);
    } else {
      if (anchor.current) holdStill(el, anchor.current);
      anchor.current = firstVisible(el);
    }
    lastTop.current = el.scrollTop;
  });

  // Older messages that just arrived are put above, as far as the person is near the top.
  useLayoutEffect(() => {
    if (valid) widen(true);
  }, [first]);

  useLayoutEffect(() => {
    const el = scroller.current;
    const unpin = (): void => void (pinned.current = null);
    for (const name of OWN_MOVES) el?.addEventListener(name, unpin, { passive: true });
    return () => {
      for (const name of OWN_MOVES) el?.removeEventListener(name, unpin);
    };
  }, []);

  useLayoutEffect(() => {
    const el = scroller.current;
    if (!el) return;
    let height = el.clientHeight;
    const watch = new ResizeObserver(() => {
      const resized = el.clientHeight !== height;
      height = el.clientHeight;
      if (!valid) el.scrollTop = el.scrollHeight;
      else if (resized && pinned.current) {
        keepInSight(el, pinned.current);
        anchor.current = firstVisible(el);
        lastTop.current = el.scrollTop;
      }
    });
    watch.observe(el);
    if (el.firstElementChild) watch.observe(el.firstElementChild);
    return () => watch.disconnect();
  }, [valid === null]);

  return {
    ...span,
    scroller,
    following: !valid,
    unseen: valid ? Math.max(0, end - (valid.to === end && !pinned.current ? end : leftAt.current)) : 0,
    onScroll,
    toEnd: () => {
      pinned.current = null;
      setHeld(null);
    },
    show: (place, id) => {
      leftAt.current = end;
      pinned.current = id;
      anchor.current = { id, edge: "top", at: Math.round((scroller.current?.clientHeight ?? 600) / 3) };
      setHeld({ from: place - STEP, to: place + 2 * STEP });
    },
  };
}
