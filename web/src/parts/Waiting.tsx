// The right pane, and the first tab on a phone: what waits for the owner, then what was settled without them.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { asTrouble } from "../api/client";
import { HUB, type FeedItem } from "../api/types";
import { notify } from "../state/announce";
import { follow, pathToChannel } from "../state/place";
import { refresh } from "../state/live";
import { status } from "../state/status";
import { feed, loadOlderFeed, questions, waitingCount } from "../state/waiting";
import { words } from "../words";
import { fullTime, shortTime } from "../words/format";
import { Icon } from "./Icon";
import { ChannelTag, QuestionCard, SourceLink } from "./QuestionCard";
import { TroubleNote } from "./TroubleNote";

function Questions(): JSX.Element {
  const t = words();
  const now = questions.value;
  if (now.state === "failed") return <TroubleNote trouble={now.trouble} short retry={() => void refresh()} />;
  if (now.state === "loading") {
    return (
      <div class="card bones" aria-hidden="true">
        {[40, 90, 72].map((width) => (
          <span style={{ width: `${width}%` }} />
        ))}
      </div>
    );
  }
  if (now.value.length === 0) {
    return (
      <div class="calm">
        <Icon name="check" size={22} />
        <p>
          <b>{t.nothingWaits}</b> {t.nothingWaitsMore}
        </p>
        <a class="button narrow-only" href={pathToChannel(HUB)} onClick={follow}>
          {t.startSomething}
        </a>
      </div>
    );
  }
  return (
    <div class="cards">
      {now.value.map((question) => (
        <QuestionCard key={question.id} question={question} />
      ))}
    </div>
  );
}

function FeedRow({ item }: { item: FeedItem }): JSX.Element {
  const t = words();
  const settled = item.type === "auto_resolved";
  return (
    <li class={`feed-item ${settled ? "settled" : ""}`}>
      <span class="feed-mark" aria-hidden="true">
        {settled && <Icon name="check" size={12} />}
      </span>
      <div>
        <p>
          <b>{settled ? t.settled : item.title}</b> {settled && item.title} {item.text}
        </p>
        <p class="meta">
          <ChannelTag channelId={item.channelId} />
          <time dateTime={item.ts} title={fullTime(item.ts)}>
            {shortTime(item.ts)}
          </time>
          <SourceLink channelId={item.channelId} sources={item.sources}>
            {t.seeSource}
          </SourceLink>
        </p>
      </div>
    </li>
  );
}

function OlderFeed(): JSX.Element {
  const [busy, setBusy] = useState(false);
  const more = async (): Promise<void> => {
    setBusy(true);
    try {
      await loadOlderFeed();
    } catch (cause) {
      notify({ trouble: asTrouble(cause) });
    }
    setBusy(false);
  };
  return (
    <button type="button" class="quiet" disabled={busy} onClick={() => void more()}>
      {busy ? words().loading : words().older}
    </button>
  );
}

function Feed(): JSX.Element {
  const now = feed.value;
  if (now.state === "loading") return <div class="bones" aria-hidden="true" />;
  if (now.state === "failed") return <TroubleNote trouble={now.trouble} short retry={() => void refresh()} />;
  if (now.value.items.length === 0) return <p class="hint">{words().feedEmpty}</p>;
  return (
    <>
      <ul class="feed">
        {now.value.items.map((item) => (
          <FeedRow key={item.id} item={item} />
        ))}
      </ul>
      {now.value.older && <OlderFeed />}
    </>
  );
}

export function Waiting(): JSX.Element {
  const t = words();
  const count = waitingCount();
  const counters = status.value.state === "ready" ? status.value.value.counters : null;
  return (
    <section class="waits" id="waiting" tabIndex={-1} aria-label={t.whatWaits}>
      <h2>
        {t.waiting} {count > 0 && <span class="count ask">{count}</span>}
      </h2>
      <Questions />
      <h2>
        {t.feed} {counters && counters.asked + counters.autoResolved > 0 && <span>{t.feedSums(counters.asked, counters.autoResolved)}</span>}
      </h2>
      <Feed />
    </section>
  );
}
