// A list that is read page by page: the first when it is shown, each further one when somebody asks for it.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { asTrouble } from "../api/client";
import type { Page } from "../api/types";
import { notify } from "../state/announce";
import { useRead } from "../state/useRead";
import { words } from "../words/all";
import { plainNumber } from "../words/format";
import { Shown } from "./View";

/** What was read beyond the first page; what is asked for anew begins at the first again. */
function useMore<T>(read: (cursor?: string | null) => Promise<Page<T>>, key: string): { more: Page<T> | null; busy: boolean; load: (from: string) => Promise<void> } {
  const [more, setMore] = useState<Page<T> | null>(null);
  const [busy, setBusy] = useState(false);
  const shown = useRef(key);
  shown.current = key;
  useEffect(() => {
    setMore(null);
    setBusy(false);
  }, [key]);
  const load = async (from: string): Promise<void> => {
    setBusy(true);
    try {
      const page = await read(from);
      // Meanwhile something else may have been looked for.
      if (shown.current !== key) return;
      setMore({ items: [...(more?.items ?? []), ...page.items], nextCursor: page.nextCursor });
    } catch (cause) {
      notify({ trouble: asTrouble(cause) });
    }
    if (shown.current === key) setBusy(false);
  };
  return { more, busy, load };
}

interface Props<T> {
  read: (cursor?: string | null) => Promise<Page<T>>;
  /** What is looked for: another key is another list. */
  of: string;
  row: (item: T) => JSX.Element;
  nothing: ComponentChildren;
  /** Says how many there are to whoever does not see them. */
  counted: (shown: string) => string;
}

export function Paged<T>({ read, of, row, nothing, counted }: Props<T>): JSX.Element {
  const { now, again } = useRead(() => read(), of);
  const { more, busy, load } = useMore(read, of);
  return (
    <Shown now={now} again={() => void again()}>
      {(page) => {
        const items = [...page.items, ...(more?.items ?? [])];
        const next = more ? more.nextCursor : page.nextCursor;
        if (items.length === 0) return nothing;
        return (
          <>
            <p class="sr" role="status">
              {counted(plainNumber(items.length))}
            </p>
            <ul class="lines">{items.map(row)}</ul>
            {next && (
              <button type="button" class="quiet" disabled={busy} onClick={() => void load(next)}>
                {busy ? words().loading : words().more}
              </button>
            )}
          </>
        );
      }}
    </Shown>
  );
}
