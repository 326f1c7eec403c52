// The feed: what the owner should know, and what was settled without them, each traced to where it came from.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { asTrouble } from "../api/client";
import { hubApi, type Feature } from "../api/hub";
import type { FeedItem } from "../api/types";
import { notify } from "../state/announce";
import { refresh } from "../state/live";
import { follow } from "../state/place";
import { feed, feedFilter, FILTERS, loadOlderFeed, questions, showInFeed } from "../state/waiting";
import { words } from "../words";
import { fullTime, shortTime } from "../words/format";
import { inWords } from "../words/said";
import { Icon } from "./Icon";
import { ChannelTag, SourceLink } from "./Tags";
import { TroubleNote } from "./TroubleNote";
import { Weights } from "./Why";

const isTraced = ({ reason, removed }: FeedItem): boolean => !!(reason || removed?.length);

/** How it came about: what weighed how much, what the other side was not told. */
function Trace({ item }: { item: FeedItem }): JSX.Element {
  const t = words();
  const removed = item.removed ?? [];
  const [features, setFeatures] = useState<readonly Feature[]>([]);
  useEffect(() => {
    // A comfort: the reason stands there already.
    if (item.channelId) hubApi.features({ channelId: item.channelId, sources: item.sources }).then(setFeatures, () => undefined);
  }, [item.id]);
  return (
    <div class="feed-trace">
      {features.length > 0 ? <Weights features={features} /> : item.reason && <p>{inWords(item.reason)}</p>}
      {removed.length > 0 && <p>{t.notTold(removed.join(t.comma))}</p>}
    </div>
  );
}

/** What was settled, and in answer to what. */
function Settled({ item }: { item: FeedItem }): JSX.Element {
  const t = words();
  return (
    <>
      <p>
        <b>{t.settled}</b> {item.question ? item.text : t.settledAs(item.title, item.text)}
      </p>
      {item.question && <p class="feed-asked">{item.question}</p>}
    </>
  );
}

/** What Prime itself has to report has no judgement behind it, and is said in the reader's language. What others said stays theirs. */
const inReadersWords = ({ title, text, reason }: FeedItem): { title: string; text: string } =>
  reason ? { title, text } : { title: inWords(title), text: inWords(text) };

/** A piece of news. Where its title is a part of what was said, also one that was cut off, it is not said twice. */
function News({ item }: { item: FeedItem }): JSX.Element {
  const shown = inReadersWords(item);
  const title = shown.title.replace(/…$/, "");
  const at = shown.text.indexOf(title);
  // One that was cut off goes on to where its sentence ends.
  const end = title === shown.title ? at + title.length : shown.text.length;
  if (at < 0) {
    return (
      <p>
        <b>{shown.title}</b> {shown.text}
      </p>
    );
  }
  return (
    <p>
      {shown.text.slice(0, at)}
      <b>{shown.text.slice(at, end)}</b>
      {shown.text.slice(end)}
    </p>
  );
}

function FeedRow({ item }: { item: FeedItem }): JSX.Element {
  const t = words();
  const settled = item.type === "auto_resolved";
  const [open, setOpen] = useState(false);
  return (
    <li class={`feed-item ${settled ? "settled" : ""}`}>
      <span class="feed-mark" aria-hidden="true">
        {settled && <Icon name="check" size={12} />}
      </span>
      <div>
        {settled ? <Settled item={item} /> : <News item={item} />}
        <p class="meta">
          <ChannelTag channelId={item.channelId} />
          <time dateTime={item.ts} title={fullTime(item.ts)}>
            {shortTime(item.ts)}
          </time>
          <SourceLink channelId={item.channelId} sources={item.sources}>
            {t.source}
          </SourceLink>
          {item.ruleId && (
            <a class="source" href={`/rules#${encodeURIComponent(item.ruleId)}`} onClick={follow}>
              {t.byRule}
            </a>
          )}
          {isTraced(item) && (
            <button type="button" class="unfold" aria-expanded={open} onClick={() => setOpen(!open)}>
              {t.howCome}
            </button>
          )}
        </p>
        {open && <Trace item={item} />}
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
        <button key={value} type="button" class="quiet small" aria-pressed={feedFilter.value === value} onClick={() => showInFeed(value)}>
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
