// The feed: what the owner should know, and what was settled without them, each traced to where it came from.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { asTrouble } from "../api/client";
import type { FeedItem } from "../api/types";
import { notify } from "../state/announce";
import { refresh } from "../state/live";
import { follow } from "../state/place";
import { feed, feedFilter, loadOlderFeed, questions, type FeedFilter } from "../state/waiting";
import { words } from "../words";
import { fullTime, shortTime } from "../words/format";
import { inWords } from "../words/said";
import { Icon } from "./Icon";
import { ChannelTag, SourceLink } from "./Tags";
import { TroubleNote } from "./TroubleNote";

const FILTERS: readonly FeedFilter[] = ["all", "surfaced", "auto_resolved"];

/** How it came about: what was asked, by which rule it was settled, what the other side was not told. */
function Trace({ item }: { item: FeedItem }): JSX.Element | null {
  const t = words();
  const removed = item.removed ?? [];
  if (!item.question && !item.reason && !item.ruleId && removed.length === 0) return null;
  return (
    <details class="why-fold">
      <summary>{t.howCome}</summary>
      {item.question && <p class="why">{t.wasAsked(item.question)}</p>}
      {item.reason && <p class="why">{inWords(item.reason)}</p>}
      {removed.length > 0 && <p class="why">{t.notTold(removed.join(", "))}</p>}
      {item.ruleId && (
        <a class="source" href={`/rules#${encodeURIComponent(item.ruleId)}`} onClick={follow}>
          {t.byRule}
        </a>
      )}
    </details>
  );
}

/** A piece of news. Where its title is a part of what was said, also one that was cut off, it is not said twice. */
function News({ item }: { item: FeedItem }): JSX.Element {
  const title = item.title.replace(/…$/, "");
  const at = item.text.indexOf(title);
  if (at < 0) {
    return (
      <p>
        <b>{item.title}</b> {item.text}
      </p>
    );
  }
  return (
    <p>
      {item.text.slice(0, at)}
      <b>{title}</b>
      {item.text.slice(at + title.length)}
    </p>
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
        {settled ? (
          <p>
            <b>{t.settled}</b> {t.settledAs(item.title, item.text)}
          </p>
        ) : (
          <News item={item} />
        )}
        <p class="meta">
          <ChannelTag channelId={item.channelId} />
          <time dateTime={item.ts} title={fullTime(item.ts)}>
            {shortTime(item.ts)}
          </time>
          <SourceLink channelId={item.channelId} sources={item.sources}>
            {t.seeSource}
          </SourceLink>
        </p>
        <Trace item={item} />
      </div>
    </li>
  );
}

function Older(): JSX.Element {
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

function Filter(): JSX.Element {
  const t = words();
  return (
    <div class="feed-filter" role="group" aria-label={t.feedShow}>
      {FILTERS.map((value) => (
        <button key={value} type="button" class="quiet small" aria-pressed={feedFilter.value === value} onClick={() => (feedFilter.value = value)}>
          {t.feedFilter[value]}
        </button>
      ))}
    </div>
  );
}

const Coming = (): JSX.Element => (
  <div class="bones" aria-hidden="true">
    {[86, 58, 74].map((width) => (
      <span key={width} style={{ width: `${width}%` }} />
    ))}
  </div>
);

export function Feed(): JSX.Element | null {
  const now = feed.value;
  const t = words();
  if (now.state === "loading") return <Coming />;
  // What failed above it says the same, and has the button.
  if (now.state === "failed") return questions.value.state === "failed" ? null : <TroubleNote trouble={now.trouble} short retry={() => void refresh()} />;
  if (now.value.items.length === 0) return <p class="hint">{t.feedEmpty}</p>;
  const wanted = feedFilter.value;
  const items = wanted === "all" ? now.value.items : now.value.items.filter((item) => item.type === wanted);
  return (
    <>
      <Filter />
      {items.length === 0 && <p class="hint">{t.feedNoneOfKind}</p>}
      <ul class="feed">
        {items.map((item) => (
          <FeedRow key={item.id} item={item} />
        ))}
      </ul>
      {now.value.older && <Older />}
    </>
  );
}
