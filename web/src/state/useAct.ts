// Something the person asked for: under way or not, and what went wrong.
import { useState } from "preact/hooks";
import { asTrouble, type Trouble } from "../api/client";

export interface Acting {
  busy: boolean;
  trouble: Trouble | null;
  /** Runs it unless it is running already. True when it was done. */
  act: (work: () => Promise<unknown>) => Promise<boolean>;
  forget: () => void;
}

export function useAct(): Acting {
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const act = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (busy) return false;
    setBusy(true);
    setTrouble(null);
    try {
      await work();
      return true;
    } catch (cause) {
      setTrouble(asTrouble(cause));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, trouble, act, forget: () => setTrouble(null) };
}
