// Everything that is worked out from the log, worked out anew.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { instanceApi, type Rebuilding } from "../../api/instance";
import { TroubleNote } from "../../parts/TroubleNote";
import { Section } from "../../parts/View";
import { useAct } from "../../state/useAct";
import { words } from "../../words/all";
import { plainNumber } from "../../words/format";

const LOOK_MS = 500;

export function Rebuild(): JSX.Element {
  const t = words().care;
  const [said, setSaid] = useState("");
  const [progress, setProgress] = useState<Rebuilding | null>(null);
  const { busy, trouble, act } = useAct();
  useEffect(() => {
    if (!busy) return setProgress(null);
    // A look that fails is made up for by the next one.
    const timer = setInterval(() => void instanceApi.rebuilding().then(setProgress, () => undefined), LOOK_MS);
    return () => clearInterval(timer);
  }, [busy]);
  const rebuild = (): void => {
    setSaid("");
    void act(async () => {
      const { repaired, messages } = await instanceApi.rebuild();
      setSaid(t.rebuilt(repaired, plainNumber(messages)));
    });
  };
  return (
    <Section title={t.rebuildTitle} note={t.rebuildNote}>
      <p class="acts">
        <button type="button" disabled={busy} onClick={rebuild}>
          {busy ? t.rebuilding : t.rebuild}
        </button>
        {progress?.running && progress.of > 0 && (
          <>
            <progress class="scan-bar" max={progress.of} value={progress.done} aria-label={t.rebuilding} />
            <span class="soft">{t.rebuildOf(progress.name ?? "", plainNumber(progress.done), plainNumber(progress.of))}</span>
          </>
        )}
      </p>
      {said && (
        <p class="note" role="status">
          {said}
        </p>
      )}
      {trouble && <TroubleNote trouble={trouble} />}
    </Section>
  );
}
