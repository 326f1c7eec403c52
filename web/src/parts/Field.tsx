// A field with its label and hint, the same everywhere.
import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef, type MutableRef } from "preact/hooks";

interface Common {
  label: string;
  hint?: ComponentChildren;
  bad?: string | null;
  value: string;
  onValue: (value: string) => void;
}

interface Props extends Common {
  type?: "text" | "password" | "email" | "url" | "number" | "datetime-local";
  placeholder?: string | undefined;
  autofocus?: boolean;
  required?: boolean;
  mono?: boolean;
  min?: number | undefined;
  max?: number | undefined;
}

function Framed({ label, hint, bad, id, children }: { label: string; hint: ComponentChildren; bad: string | null | undefined; id: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {(bad || hint) && (
        <small id={`${id}-hint`} class={bad ? "bad" : ""} role={bad ? "alert" : undefined}>
          {bad || hint}
        </small>
      )}
    </div>
  );
}

/** A browser heeds `autofocus` once in a page's life, and again in every dialog; a view is come back to. */
function useFocus(wanted: boolean | undefined): MutableRef<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (wanted) field.current?.focus();
  }, []);
  return field;
}

export function Field(props: Props): JSX.Element {
  const id = useId();
  const field = useFocus(props.autofocus);
  return (
    <Framed label={props.label} hint={props.hint} bad={props.bad} id={id}>
      <input
        ref={field}
        id={id}
        class={props.mono ? "mono" : ""}
        type={props.type ?? "text"}
        autoComplete="off"
        spellcheck={false}
        autofocus={props.autofocus}
        required={props.required}
        placeholder={props.placeholder}
        min={props.min}
        max={props.max}
        step="any"
        aria-invalid={props.bad ? true : undefined}
        aria-describedby={props.bad || props.hint ? `${id}-hint` : undefined}
        value={props.value}
        onInput={(event) => props.onValue(event.currentTarget.value)}
      />
    </Framed>
  );
}

export function LongField(props: Common & { rows?: number; mono?: boolean; placeholder?: string }): JSX.Element {
  const id = useId();
  return (
    <Framed label={props.label} hint={props.hint} bad={props.bad} id={id}>
      <textarea
        id={id}
        rows={props.rows ?? 3}
        class={props.mono ? "mono" : ""}
        placeholder={props.placeholder}
        aria-invalid={props.bad ? true : undefined}
        aria-describedby={props.bad || props.hint ? `${id}-hint` : undefined}
        value={props.value}
        onInput={(event) => props.onValue(event.currentTarget.value)}
      />
    </Framed>
  );
}

export interface Option {
  value: string;
  name: string;
}

export function Choice(props: Common & { options: readonly Option[] }): JSX.Element {
  const id = useId();
  return (
    <Framed label={props.label} hint={props.hint} bad={props.bad} id={id}>
      <select id={id} value={props.value} aria-describedby={props.hint ? `${id}-hint` : undefined} onChange={(event) => props.onValue(event.currentTarget.value)}>
        {props.options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.name}
          </option>
        ))}
      </select>
    </Framed>
  );
}

export function SearchField({ label, value, onValue, autofocus }: { label: string; value: string; onValue: (value: string) => void; autofocus?: boolean }): JSX.Element {
  const field = useFocus(autofocus);
  return (
    <div class="search-field">
      <svg class="icon" width={18} height={18} viewBox="0 0 20 20" aria-hidden="true">
        <path d="M9 14.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11ZM13 13l3.500 3.500" />
      </svg>
      <input ref={field} type="search" aria-label={label} placeholder={label} autoComplete="off" spellcheck={false} autofocus={autofocus} value={value} onInput={(event) => onValue(event.currentTarget.value)} />
    </div>
  );
}
