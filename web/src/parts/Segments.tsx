// One of a few, all in sight.
import type { JSX } from "preact";
import { useId } from "preact/hooks";

interface Props<T extends string> {
  label: string;
  values: readonly T[];
  value: T;
  name: (value: T) => string;
  choose: (value: T) => void;
}

export function Segments<T extends string>({ label, values, value, name, choose }: Props<T>): JSX.Element {
  const group = useId();
  return (
    <fieldset class="segments">
      <legend>{label}</legend>
      <div>
        {values.map((each) => (
          <label key={each}>
            <input type="radio" name={group} checked={value === each} onChange={() => choose(each)} />
            <span>{name(each)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
