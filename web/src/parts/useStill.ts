// What is under the pointer stays there: when something arrives above it, the pane scrolls by as much.
import { useLayoutEffect, useRef, type MutableRef } from "preact/hooks";

const PIECES = "[data-card], .feed-item";

/** Scrolls by so much, also where there is too little below to scroll to: then the pane gets room at its end. */
function scrollBy(pane: HTMLElement, moved: number): void {
  const wanted = pane.scrollTop + moved;
  const end = pane.lastElementChild?.getBoundingClientRect().bottom ?? 0;
  const content = end - pane.getBoundingClientRect().top + pane.scrollTop;
  const lacking = Math.ceil(wanted + pane.clientHeight - content);
  if (lacking > 0) pane.style.paddingBottom = `${lacking}px`;
  pane.scrollTop = wanted;
}

export function useStill(): MutableRef<HTMLElement | null> {
  const pane = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const el = pane.current;
    if (!el) return;
    let held: Element | null = null;
    let top = 0;
    const measure = (): void => {
      if (held) top = held.getBoundingClientRect().top;
    };
    const hold = ({ target }: Event): void => {
      held = target instanceof Element ? target.closest(PIECES) : null;
      measure();
    };
    const leave = (): void => {
      held = null;
      el.style.paddingBottom = "";
    };
    // Before it is painted.
    const watch = new MutationObserver(() => {
      if (!held?.isConnected) return;
      const moved = held.getBoundingClientRect().top - top;
      if (Math.abs(moved) >= 1) scrollBy(el, moved);
      measure();
    });
    watch.observe(el, { childList: true, subtree: true });
    el.addEventListener("pointermove", hold, { passive: true });
    el.addEventListener("pointerleave", leave);
    el.addEventListener("scroll", measure, { passive: true });
    return () => {
      watch.disconnect();
      el.removeEventListener("pointermove", hold);
      el.removeEventListener("pointerleave", leave);
      el.removeEventListener("scroll", measure);
    };
  }, [pane.current]);
  return pane;
}
