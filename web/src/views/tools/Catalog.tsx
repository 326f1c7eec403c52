// Every tool on this machine: searched by words and effects, looked for anew.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { asTrouble } from "../../api/client";
import { toolsApi, type Filter, type Scanned, type ScanProgress, type Tool, type Wanted } from "../../api/tools";
import { EffectBadges } from "../../parts/EffectBadges";
import { Choice, SearchField } from "../../parts/Field";
import { Icon } from "../../parts/Icon";
import { Paged } from "../../parts/Paged";
import { Nothing, View } from "../../parts/View";
import { announce, notify } from "../../state/announce";
import { follow, searched, setSearch } from "../../state/place";
import { useLater } from "../../state/useLater";
import { words } from "../../words/all";
import { ToolTabs } from "./tabs";

const WANTED: readonly Wanted[] = ["read_only", "write", "destructive", "network", "subprocess", "billable"];

const LOOK_MS = 400;

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

function useScan(done: () => void): { scanning: boolean; progress: ScanProgress | null; found: Scanned | null; scan: () => void } {
  const [scanning, setScanning] = useState(false);
  const [progress, setProgress] = useState<ScanProgress | null>(null);
  const [found, setFound] = useState<Scanned | null>(null);
  useEffect(() => {
    if (!scanning) return setProgress(null);
    // A look that fails is made up for by the next one.
    const look = (): void => void toolsApi.scanned().then(setProgress, () => undefined);
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [scanning]);
  const scan = async (): Promise<void> => {
    setScanning(true);
    announce(words().tools.scanning);
    try {
      const result = await toolsApi.scan();
      setFound(result);
      announce(words().tools.scanned(result.tools, result.asked));
      done();
    } catch (cause) {
      notify({ trouble: asTrouble(cause) });
    }
    setScanning(false);
  };
  return { scanning, progress, found, scan: () => void scan() };
}

function Scanning({ scanning, progress, found }: { scanning: boolean; progress: ScanProgress | null; found: Scanned | null }): JSX.Element | null {
  const t = words().tools;
  if (scanning) {
    const counted = progress && progress.of > 0 ? progress : null;
    return (
      <div class="note">
        {counted ? <progress class="scan-bar" max={counted.of} value={counted.done} aria-label={t.scanning} /> : <span class="busy" />}
        <span>{counted ? t.scannedOf(counted.done, counted.of) : t.scanning}</span>
      </div>
    );
  }
  return found && <p class="note">{t.scanned(found.tools, found.asked)}</p>;
}

function Listing({ q, filter, version }: { q: string; filter: Filter; version: number }): JSX.Element {
  const t = words().tools;
  const narrowed = q || filter.effect || filter.without;
  return (
    <Paged
      read={(cursor) => toolsApi.list(q, filter, cursor)}
      of={`${q} ${filter.effect} ${filter.without} ${version}`}
      row={(tool) => <Row key={tool.name} tool={tool} />}
      counted={t.shown}
      nothing={
        <Nothing icon="tool" title={narrowed ? t.nothingFits : t.nothing}>
          <p>{narrowed ? t.nothingFitsHint : t.nothingHint}</p>
        </Nothing>
      }
    />
  );
}

export function Catalog(): JSX.Element {
  const t = words().tools;
  const [q, setQ] = useState(searched("q"));
  const [filter, setFilter] = useState<Filter>({ effect: searched("effect") as Wanted | "", without: searched("without") as Wanted | "" });
  const [version, setVersion] = useState(0);
  const later = useLater(q);
  const { scanning, progress, found, scan } = useScan(() => setVersion((n) => n + 1));
  useEffect(() => setSearch({ q: later, ...filter }), [later, filter]);
  const effects = WANTED.map((value) => ({ value, name: t.wanted[value] }));
  return (
    <View
      title={t.title}
      lead={t.lead}
      tabs={<ToolTabs />}
      actions={
        <>
          <a class="button" href="/tools/batch" onClick={follow}>
            <Icon name="list" size={18} />
            {words().tools.batch.open}
          </a>
          <button type="button" disabled={scanning} onClick={scan}>
            <Icon name="refresh" size={18} />
            {t.scan}
          </button>
        </>
      }
    >
      <Scanning scanning={scanning} progress={progress} found={found} />
      <div class="filters tools-of">
        <SearchField label={t.find} value={q} onValue={setQ} />
        <Choice label={t.effects} value={filter.effect} onValue={(value) => setFilter({ ...filter, effect: value as Wanted | "" })} options={[{ value: "", name: t.anyEffect }, ...effects]} />
        <Choice label={t.without} value={filter.without} onValue={(value) => setFilter({ ...filter, without: value as Wanted | "" })} options={[{ value: "", name: t.nothingLeftOut }, ...effects]} />
      </div>
      <Listing q={later} filter={filter} version={version} />
    </View>
  );
}
