// Every tool on this machine: searched by words and effects, looked for anew.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { asTrouble } from "../../api/client";
import { toolsApi, type Scanned, type Tool, type Wanted } from "../../api/tools";
import { EffectBadges } from "../../parts/EffectBadges";
import { Choice, SearchField } from "../../parts/Field";
import { Icon } from "../../parts/Icon";
import { Nothing, Shown, View } from "../../parts/View";
import { announce, notify } from "../../state/announce";
import { follow, searched, setSearch } from "../../state/place";
import { useLater } from "../../state/useLater";
import { useRead } from "../../state/useRead";
import { words } from "../../words";
import { plainNumber } from "../../words/format";
import { ToolTabs } from "./tabs";

const WANTED: readonly Wanted[] = ["read_only", "write", "destructive", "network", "subprocess", "billable"];

export const toolPath = (name: string): string => `/tools/t/${encodeURIComponent(name)}`;

function Row({ tool }: { tool: Tool }): JSX.Element {
  const t = words().tools;
  return (
    <li>
      <a class="line" href={toolPath(tool.name)} onClick={follow}>
        <span class="line-main">
          <b class="mono">{tool.command.join(" ") || tool.name}</b>
          <span>{tool.description}</span>
        </span>
        <span class="line-side">
          <EffectBadges effects={tool.effects} most={2} />
          <small>{t.source(tool.trust.source ?? "", tool.runtime)}</small>
        </span>
      </a>
    </li>
  );
}

function useScan(done: () => void): { scanning: number | null; found: Scanned | null; scan: () => void } {
  const [started, setStarted] = useState<number | null>(null);
  const [seconds, setSeconds] = useState(0);
  const [found, setFound] = useState<Scanned | null>(null);
  useEffect(() => {
    if (started === null) return;
    const timer = setInterval(() => setSeconds(Math.round((Date.now() - started) / 1000)), 500);
    return () => clearInterval(timer);
  }, [started]);
  const scan = async (): Promise<void> => {
    setSeconds(0);
    setStarted(Date.now());
    announce(words().tools.scanning);
    try {
      const result = await toolsApi.scan();
      setFound(result);
      announce(words().tools.scanned(result.tools, result.asked));
      done();
    } catch (cause) {
      notify({ trouble: asTrouble(cause) });
    }
    setStarted(null);
  };
  return { scanning: started === null ? null : seconds, found, scan: () => void scan() };
}

function Scanning({ seconds, found }: { seconds: number | null; found: Scanned | null }): JSX.Element | null {
  const t = words().tools;
  if (seconds !== null) {
    return (
      <div class="note" role="status">
        <span class="busy" />
        <span>
          {t.scanning} {seconds > 0 && t.seconds(seconds)}
        </span>
      </div>
    );
  }
  return found && <p class="note">{t.scanned(found.tools, found.asked)}</p>;
}

interface More {
  items: readonly Tool[];
  next: string | null;
}

function Listing({ q, effect, version }: { q: string; effect: Wanted | ""; version: number }): JSX.Element {
  const t = words().tools;
  const key = `${q} ${effect} ${version}`;
  const { now, again } = useRead(() => toolsApi.list(q, effect), key);
  const [more, setMore] = useState<More | null>(null);
  useEffect(() => setMore(null), [key]);
  const load = async (from: string): Promise<void> => {
    try {
      const page = await toolsApi.list(q, effect, from);
      setMore({ items: [...(more?.items ?? []), ...page.items], next: page.nextCursor });
    } catch (cause) {
      notify({ trouble: asTrouble(cause) });
    }
  };
  return (
    <Shown now={now} again={() => void again()}>
      {(page) => {
        const items = [...page.items, ...(more?.items ?? [])];
        const next = more ? more.next : page.nextCursor;
        if (items.length === 0) {
          return (
            <Nothing icon="tool" title={q || effect ? t.nothingFits : t.nothing}>
              <p>{q || effect ? t.nothingFitsHint : t.nothingHint}</p>
            </Nothing>
          );
        }
        return (
          <>
            <ul class="lines">
              {items.map((tool) => (
                <Row key={tool.name} tool={tool} />
              ))}
            </ul>
            {next && (
              <button type="button" class="quiet" onClick={() => void load(next)}>
                {words().more}
              </button>
            )}
            <p class="sr" role="status">
              {t.shown(plainNumber(items.length))}
            </p>
          </>
        );
      }}
    </Shown>
  );
}

export function Catalog(): JSX.Element {
  const t = words().tools;
  const [q, setQ] = useState(searched("q"));
  const [effect, setEffect] = useState(searched("effect") as Wanted | "");
  const [version, setVersion] = useState(0);
  const later = useLater(q);
  const { scanning, found, scan } = useScan(() => setVersion((n) => n + 1));
  useEffect(() => setSearch({ q: later, effect }), [later, effect]);
  return (
    <View
      title={t.title}
      lead={t.lead}
      tabs={<ToolTabs />}
      actions={
        <button type="button" disabled={scanning !== null} onClick={scan}>
          <Icon name="refresh" size={18} />
          {t.scan}
        </button>
      }
    >
      <Scanning seconds={scanning} found={found} />
      <div class="filters">
        <SearchField label={t.find} value={q} onValue={setQ} />
        <Choice
          label={t.effects}
          value={effect}
          onValue={(value) => setEffect(value as Wanted | "")}
          options={[{ value: "", name: t.anyEffect }, ...WANTED.map((value) => ({ value, name: t.wanted[value] }))]}
        />
      </div>
      <Listing q={later} effect={effect} version={version} />
    </View>
  );
}
