// What a model would be shown of the open channel, and what each part costs.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { archivePath, scriptsApi, SHAPES, type ContextView, type Shape } from "../api/scripts";
import { Choice } from "../parts/Field";
import { Modal } from "../parts/Modal";
import { Shown } from "../parts/View";
import { openChannelId } from "../state/place";
import { useRead } from "../state/useRead";
import { words } from "../words/all";
import { inWords } from "../words/said";
import { plainNumber } from "../words/format";

const SHADES = 6;

function TokenBar({ context }: { context: ContextView }): JSX.Element {
  const t = words().scripts;
  return (
    <>
      <div class="token-bar" role="img" aria-label={t.contextLead(plainNumber(context.tokens), plainNumber(context.budget))}>
        {context.parts
          .filter((part) => part.tokens > 0)
          .map((part, index) => (
            <span key={part.name} class={`shade-${index % SHADES}`} style={{ width: `${(100 * part.tokens) / Math.max(context.budget, context.tokens)}%` }} />
          ))}
      </div>
      <p class="soft">{t.contextLead(plainNumber(context.tokens), plainNumber(context.budget))}</p>
    </>
  );
}

function Parts({ context }: { context: ContextView }): JSX.Element {
  const t = words().scripts;
  return (
    <table class="sheet-table">
      <thead>
        <tr>
          <th scope="col">{t.part}</th>
          <th scope="col" class="number">
            {t.tokens}
          </th>
        </tr>
      </thead>
      <tbody>
        {context.parts.map((part, index) => (
          <tr key={part.name}>
            <td>
              <span class={`swatch shade-${index % SHADES}`} aria-hidden="true" /> {inWords(part.name)} {part.kind === "document" && <small>{t.documentPart}</small>}
            </td>
            <td class="number">{plainNumber(part.tokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export default function ContextPreview(): JSX.Element {
  const t = words().scripts;
  const id = openChannelId.value;
  const [shape, setShape] = useState<Shape>("openai");
  const { now, again } = useRead(() => scriptsApi.context(id, shape), `${id} ${shape}`);
  return (
    <Modal title={t.context} class="roomy">
      <Shown now={now} again={() => void again()}>
        {(context) => (
          <>
            <p class="soft">{t.contextModel(context.model)}</p>
            <TokenBar context={context} />
            {context.leftOut && (
              <div class="note column">
                <p>{t.contextOut}</p>
                <a href={archivePath(id, shape)} download={`${id}.jsonl`}>
                  {words().care.archive}
                </a>
              </div>
            )}
            <Parts context={context} />
            <Choice
              label={words().care.shape}
              value={shape}
              onValue={(value) => setShape(value as Shape)}
              options={SHAPES.map((value) => ({ value, name: words().care.shapeName[value] }))}
            />
            <pre class="call tall" tabIndex={0} aria-label={t.context}>
              <code>{JSON.stringify(context.request, null, 2)}</code>
            </pre>
          </>
        )}
      </Shown>
    </Modal>
  );
}
