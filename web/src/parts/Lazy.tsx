// A part that is loaded when it is first needed, and kept from then on.
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { asTrouble, type Trouble } from "../api/client";
import { TroubleNote } from "./TroubleNote";

export type Loader = () => Promise<{ default: ComponentType }>;

type Views = Omit<typeof import("../views"), "everyEntry" | "recallEntry">;

/** One of the views, with all the others, when it is needed. */
export const laterView =
  (name: keyof Views): Loader =>
  async () => ({ default: (await import("../views"))[name] });

const here = new Map<Loader, ComponentType>();

export function Lazy({ load, waiting }: { load: Loader; waiting?: JSX.Element }): JSX.Element | null {
  const [, setArrived] = useState(0);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  useEffect(() => {
    if (here.has(load)) return;
    load().then(
      (module) => {
        here.set(load, module.default);
        setArrived((n) => n + 1);
      },
      (cause: unknown) => setTrouble(asTrouble(cause)),
    );
  }, [load]);
  const Found = here.get(load);
  if (Found) return <Found />;
  if (trouble) return <TroubleNote trouble={trouble} retry={() => location.reload()} />;
  return waiting ?? null;
}
