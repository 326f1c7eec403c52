// Reads something when a view is opened, whenever its key changes, and when Prime is back after it did not answer; an
// answer that comes too late is dropped.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { asTrouble } from "../api/client";
import { failed, loading, ready, type Loaded } from "./loaded";
import { link } from "./status";

export interface Reading<T> {
  now: Loaded<T>;
  /** Reads again; what is shown stays until the answer is there. */
  again: () => Promise<void>;
  set: (value: T) => void;
}

export function useRead<T>(read: () => Promise<T>, key: string): Reading<T> {
  const [now, setNow] = useState<Loaded<T>>(loading);
  const turn = useRef(0);
  /** Which key the value that is shown was read for. */
  const shown = useRef<string | null>(null);
  const again = useCallback(async () => {
    const mine = ++turn.current;
    try {
      const value = await read();
      if (mine !== turn.current) return;
      shown.current = key;
      setNow(ready(value));
    } catch (cause) {
      const trouble = asTrouble(cause);
      // While Prime is away, what was read before is better than nothing; the strip says that it may be old.
      if (mine === turn.current && !(trouble.unreachable && shown.current === key)) setNow(failed(trouble));
    }
  }, [key]);
  useEffect(() => {
    setNow((before) => (before.state === "failed" ? loading : before));
    void again();
    return () => void turn.current++;
  }, [again]);
  const live = link.value === "live";
  useEffect(() => {
    if (live && now.state === "failed" && now.trouble.unreachable) void again();
  }, [live]);
  return { now, again, set: (value) => setNow(ready(value)) };
}
