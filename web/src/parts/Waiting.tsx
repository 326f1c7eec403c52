// The right pane, and the first tab on a phone: what waits for the owner, then what was settled without them.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { HUB, type Question } from "../api/types";
import { conversation } from "../state/conversation";
import { drafts, waitingDrafts } from "../state/drafts";
import { valueOr } from "../state/loaded";
import { narrow } from "../state/narrow";
import { follow, pathToChannel } from "../state/place";
import { refresh } from "../state/live";
import { status } from "../state/status";
import { roomsAtWork } from "../state/swarm";
import { questions, snoozed, waitingCount } from "../state/waiting";
import { words } from "../words";
import { DraftCard } from "./DraftCard";
import { Feed } from "./Feed";
import { FirstRun } from "./FirstRun";
import { Icon } from "./Icon";
import { QuestionCard } from "./QuestionCard";
import { Tour } from "./Tour";
import { TroubleNote } from "./TroubleNote";
import { useStill } from "./useStill";
import { useWanted } from "./useWanted";

function Calm(): JSX.Element {
  const t = words();
  const working = roomsAtWork();
  return (
    <div class="calm">
      <Icon name={working > 0 ? "clock" : "check"} size={22} />
      <p>
        <b>{t.nothingWaits}</b> {working > 0 ? t.roomsAtWork(working) : t.nothingWaitsMore}
      </p>
      {working === 0 && (
        <a class="button narrow-only" href={pathToChannel(HUB)} onClick={follow}>
          {t.startSomething}
        </a>
      )}
    </div>
  );
}

/** The first of a kind are shown whole, the next by their question alone, the others when they are asked for. */
const WHOLE = 3;
const MOST = 30;

function Cards(): JSX.Element {
  const now = questions.value;
  const [all, setAll] = useState(false);
  if (now.state === "failed") return <TroubleNote trouble={now.trouble} short retry={() => void refresh()} />;
  if (now.state === "loading") {
    return (
      <div class="card bones" aria-hidden="true">
        {[40, 90, 72].map((width) => (
          <span key={width} style={{ width: `${width}%` }} />
        ))}
      </div>
    );
  }
  if (waitingCount() === 0) return <Calm />;
  const of = (kind: Question["kind"]): Question[] => now.value.filter((question) => question.kind === kind);
  const decisions = of("decision");
  const approvals = of("approval");
  const whole = new Set<object>([...decisions.slice(0, WHOLE), ...approvals.slice(0, WHOLE)]);
  const waiting = [...decisions, ...waitingDrafts(), ...approvals];
  const shown = all ? waiting : waiting.slice(0, MOST);
  return (
    <div class="cards">
      {shown.map((each) =>
        "suggestions" in each ? <QuestionCard key={each.id} question={each} folds={!whole.has(each)} /> : <DraftCard key={each.id} draft={each} />,
      )}
      {shown.length < waiting.length && (
        <button type="button" onClick={() => setAll(true)}>
          {words().moreWaiting(waiting.length - shown.length)}
        </button>
      )}
    </div>
  );
}

/** What was put off can still be answered at any time. */
function PutOff(): JSX.Element | null {
  const t = words().care;
  const later = snoozed.value;
  if (later.length === 0) return null;
  return (
    <details class="why-fold put-off">
      <summary>{t.putOff(later.length)}</summary>
      <div class="cards">
        {later.map((question) => (
          <QuestionCard key={question.id} question={question} here />
        ))}
      </div>
    </details>
  );
}

/** On a phone this is the first thing seen: where nothing was ever said, it is where one begins. */
function isFirstRun(): boolean {
  const hub = conversation(HUB).value;
  return narrow.value && hub.loaded && hub.messages.length === 0 && !hub.older && waitingCount() === 0;
}

export function Waiting(): JSX.Element {
  const t = words();
  const count = waitingCount();
  const counters = valueOr(status.value, null)?.counters;
  const pane = useStill();
  useWanted();
  if (isFirstRun()) {
    return (
      <section class="waits" id="waiting" ref={pane} tabIndex={-1} aria-label={t.whatWaits}>
        <FirstRun />
      </section>
    );
  }
  return (
    <section class="waits" id="waiting" ref={pane} tabIndex={-1} aria-label={t.whatWaits}>
      <Tour />
      <h2>
        {t.waiting} {count > 0 && <span class="count ask">{count}</span>}
      </h2>
      <Cards />
      <PutOff />
      {drafts.value.state === "failed" && questions.value.state !== "failed" && <TroubleNote trouble={drafts.value.trouble} short retry={() => void refresh()} />}
      <h2>
        {t.feed} {counters && counters.asked + counters.autoResolved > 0 && <span>{t.feedSums(counters.asked, counters.autoResolved)}</span>}
      </h2>
      <Feed />
    </section>
  );
}
