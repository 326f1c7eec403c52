// What went wrong, and what to do about it.
import type { JSX } from "preact";
import type { Trouble } from "../api/client";
import { words } from "../words";
import { inWords, troubleInWords } from "../words/said";
import { Icon } from "./Icon";

export function troubleText(trouble: Trouble): { what: string; hint: string } {
  const { trouble: what, troubleHint } = words();
  return {
    what: troubleInWords(trouble) || what(trouble.code, trouble.status),
    hint: trouble.hint ? inWords(trouble.hint) : troubleHint(trouble.code, trouble.status),
  };
}

interface Props {
  trouble: Trouble;
  /** Beside the conversation, which says the same in full. */
  short?: boolean;
  retry?: () => void;
}

export function TroubleNote({ trouble, short, retry }: Props): JSX.Element {
  const { what, hint } = troubleText(trouble);
  return (
    <div class={`trouble ${short ? "short" : ""}`} role={short ? undefined : "alert"}>
      {!short && <Icon name="alert" />}
      <div>
        <strong>{what}</strong>
        {hint && <p>{hint}</p>}
        {retry && (
          <button type="button" class={short ? "small" : ""} onClick={retry}>
            {words().retry}
          </button>
        )}
      </div>
    </div>
  );
}
