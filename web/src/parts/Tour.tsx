// A card above what waits: the next first step, said in one sentence, with the way there.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { HUB } from "../api/types";
import { announce } from "../state/announce";
import { narrow } from "../state/narrow";
import { go, pathToChannel } from "../state/place";
import { isRunning, roomsAtWork } from "../state/swarm";
import { endTour, ruleIsNext, stepAt, STEPS, touring, type Step } from "../state/tour";
import { waitingCount } from "../state/waiting";
import { words } from "../words";
import { Icon } from "./Icon";

/** The first of these that is there. */
const focusOn = (...selectors: string[]): void =>
  void requestAnimationFrame(() => selectors.map((selector) => document.querySelector<HTMLElement>(selector)).find((found) => found !== null)?.focus());

/** Leads to where the step is taken. */
function lead(step: Step): void {
  if (step === "room") return go("/room");
  if (step === "quieter") return go("/insight");
  if (step === "say") {
    go(narrow.value ? pathToChannel(HUB) : "/");
    return focusOn("#compose");
  }
  if (narrow.value) go("/");
  focusOn(".card.ask[data-card]", "#waiting");
}

/** What leads on from here. To a question that has not come yet there is no way but to wait, or to have something done. */
function Way({ step }: { step: Step }): JSX.Element | null {
  const t = words().tour;
  if (!ruleIsNext.value || waitingCount() > 0) {
    return (
      <button type="button" class="small go" onClick={() => lead(step)}>
        {t.step[step].act}
      </button>
    );
  }
  if (roomsAtWork() > 0 || !isRunning()) return null;
  return (
    <button type="button" class="small go" onClick={() => lead("say")}>
      {t.more}
    </button>
  );
}

export function Tour(): JSX.Element | null {
  const t = words().tour;
  const at = stepAt.value;
  const shown = touring.value;
  const step = STEPS[at];
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!shown || at === 0) return;
    announce(step ? t.step[step].title : t.over);
    // Whoever has just answered stands below it; where nothing else waits, it is next.
    if (waitingCount() === 0) card.current?.scrollIntoView({ block: "nearest" });
  }, [shown, at]);
  if (!shown) return null;
  return (
    <aside ref={card} class="tour" aria-label={t.title}>
      <ol class="tour-marks" aria-label={t.progress(at, STEPS.length)}>
        {STEPS.map((name, index) => (
          <li key={name} class={index < at ? "done" : index === at ? "now" : ""} />
        ))}
      </ol>
      <h2>{step ? t.step[step].title : t.over}</h2>
      <p>{step ? t.step[step].line : t.overLine}</p>
      <p class="acts">
        {step && <Way step={step} />}
        <button type="button" class={step ? "quiet small" : "small go"} onClick={endTour}>
          {!step && <Icon name="check" size={14} />}
          {step ? t.skip : t.done}
        </button>
      </p>
    </aside>
  );
}
