import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { announce, notify } from "../state/announce";
import { asTrouble } from "../api/client";
import { words } from "../words";
import { Icon } from "./Icon";

export function CopyButton({ text }: { text: string }): JSX.Element {
  const [done, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      announce(words().copied);
      setTimeout(() => setDone(false), 1_500);
    } catch (cause) {
      notify({ trouble: asTrouble(cause) });
    }
  };
  return (
    <button type="button" class="quiet small" onClick={() => void copy()}>
      <Icon name={done ? "check" : "copy"} size={14} />
      {done ? words().copied : words().copy}
    </button>
  );
}
