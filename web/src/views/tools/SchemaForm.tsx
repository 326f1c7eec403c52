// A form made from a JSON Schema: a field for each property, drawn by its type.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Schema } from "../../api/tools";
import { Choice, Field, LongField } from "../../parts/Field";
import { words } from "../../words/all";

export type Values = Record<string, unknown>;

interface FieldProps {
  name: string;
  schema: Schema;
  required: boolean;
  value: unknown;
  onValue: (value: unknown) => void;
}

const typeOf = (schema: Schema): string => {
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== "null") : schema.type;
  return type ?? (schema.properties ? "object" : "string");
};

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** What was typed, as a value of the schema's type; the text itself where it is none, so that the server can say so. */
export function read(text: string, schema: Schema): unknown {
  if (text === "") return undefined;
  const type = typeOf(schema);
  if (type === "integer" || type === "number") return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
  if (type === "array" && typeOf(schema.items ?? {}) !== "object") {
    return text.split("\n").filter((line) => line !== "").map((line) => read(line, schema.items ?? {}));
  }
  if (type === "object" || type === "array") {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  }
  return text;
}

function Typed({ name, schema, required, onValue }: FieldProps): JSX.Element {
  const t = words().tools;
  const [text, setText] = useState("");
  const type = typeOf(schema);
  const label = required ? `${name} *` : name;
  const hint = [schema.description, schema.default !== undefined && t.defaultIs(shown(schema.default))].filter(Boolean).join(" ");
  const write = (next: string): void => {
    setText(next);
    onValue(read(next, schema));
  };
  if (type === "array" || type === "object") {
    const how = type === "array" && typeOf(schema.items ?? {}) !== "object" ? t.onePerLine : t.asJson;
    const told = hint && !/[.!?。]$/.test(hint) ? `${hint}.` : hint;
    return <LongField label={label} hint={`${told} ${how}`.trim()} value={text} onValue={write} rows={2} mono />;
  }
  const number = type === "integer" || type === "number";
  return <Field label={label} hint={hint} value={text} onValue={write} type={number ? "number" : "text"} min={schema.minimum} max={schema.maximum} required={required} />;
}

function One(props: FieldProps): JSX.Element {
  const { name, schema, required, value, onValue } = props;
  const t = words().tools;
  if (typeOf(schema) === "boolean") {
    return (
      <label class="check wide">
        <input type="checkbox" checked={value === true} onChange={(event) => onValue(event.currentTarget.checked || undefined)} />
        <span>
          <b>{name}</b> {schema.description}
        </span>
      </label>
    );
  }
  if (schema.enum) {
    const options = schema.enum.map((each) => ({ value: shown(each), name: shown(each) }));
    return (
      <Choice
        label={required ? `${name} *` : name}
        hint={schema.description}
        value={value === undefined ? "" : shown(value)}
        onValue={(text) => onValue(schema.enum?.find((each) => shown(each) === text))}
        options={[{ value: "", name: t.leftOut }, ...options]}
      />
    );
  }
  return <Typed {...props} />;
}

export function SchemaForm({ schema, values, onValues }: { schema: Schema; values: Values; onValues: (values: Values) => void }): JSX.Element {
  const t = words().tools;
  const entries = Object.entries(schema.properties ?? {});
  const needed = new Set(schema.required ?? []);
  const sorted = [...entries.filter(([name]) => needed.has(name)), ...entries.filter(([name]) => !needed.has(name))];
  const change = (name: string, value: unknown): void => {
    const { [name]: _, ...others } = values;
    onValues(value === undefined ? others : { ...others, [name]: value });
  };
  const [first, later] = [sorted.slice(0, 8), sorted.slice(8)];
  const draw = ([name, each]: [string, Schema]): JSX.Element => (
    <One key={name} name={name} schema={each} required={needed.has(name)} value={values[name]} onValue={(value) => change(name, value)} />
  );
  if (entries.length === 0) return <p class="soft">{t.noArguments}</p>;
  return (
    <div class="form">
      {first.map(draw)}
      {later.length > 0 && (
        <details class="more-fields">
          <summary>{t.moreArguments(later.length)}</summary>
          <div class="form">{later.map(draw)}</div>
        </details>
      )}
    </div>
  );
}
