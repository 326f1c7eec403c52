// A notification leads to the very card: once it is there it is in view and has the focus.
import { useEffect, useRef } from "preact/hooks";
import { notify } from "../state/announce";
import { drafts } from "../state/drafts";
import { place, type Place, type WantedCard } from "../state/place";
import { questions } from "../state/waiting";
import { words } from "../words";

function find(card: WantedCard): HTMLElement | null {
  if (card === "draft") return document.querySelector<HTMLElement>(".card.draft[data-card]");
  const { questionId } = card;
  // What was put off stands in a fold of its own.
  return document.getElementById(`card-${questionId}`) ?? document.getElementById(`here-card-${questionId}`);
}

export function useWanted(): void {
  const now = place.value;
  const card = now.view === "home" ? now.card : undefined;
  const isRead = (card === "draft" ? drafts : questions).value.state === "ready";
  const led = useRef<Place | null>(null);
  useEffect(() => {
    if (!card || !isRead || led.current === now) return;
    led.current = now;
    const found = find(card);
    if (!found) return notify({ text: words().waitsNoMore });
    found.closest("details")?.setAttribute("open", "");
    found.focus({ preventScroll: true });
    found.scrollIntoView({ block: "start" });
  }, [now, isRead]);
}
