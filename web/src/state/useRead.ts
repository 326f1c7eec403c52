// Reads something when a view is opened and whenever its key changes; an answer that comes too late is dropped.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { asTrouble } from "../api/client";
import { failed, loading, ready, type Loaded } from "./loaded";

export interface Reading<T> {
  now: Loaded<T>;
  /** Reads again; what is shown stays until the answer is there. */
  again: () => Promise<void>;
  set: (value: T) => void;
}

export function useRead<T>(read: () => Promise<T>, key: string): Reading<T> {
  const [now, setNow] = useState<Loaded<T>>(loading);
  const turn = useRef(0);
  const again = useCallback(async () => {
    const mine = ++turn.current;
    try {
      const value = await read();
      if (mine === turn.current) setNow(ready(value));
    } catch (cause) {
      if (mine === turn.current) setNow(failed(asTrouble(cause)));
    }
  }, [key]);
  useEffect(() => {
    setNow((before) => (before.state === "failed" ? loading : before));
    void again();
    return () => void turn.current++;
  }, [again]);
  return { now, again, set: (value) => setNow(ready(value)) };
}
