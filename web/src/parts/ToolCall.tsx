// A tool call in a conversation, folded: what ran, what it may touch, how it went.
import type { JSX } from "preact";
import type { Message } from "../api/types";
import { effectsOf } from "../state/toolEffects";
import { words } from "../words";
import { inWords } from "../words/said";
import { callBody } from "./calls";
import { EffectBadges } from "./EffectBadges";
import { Icon } from "./Icon";

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

function Outcome({ result }: { result: Message }): JSX.Element {
  const t = words();
  const { isError, durationMs } = callBody(result);
  return (
    <span class={`call-end ${isError ? "bad" : ""}`}>
      {isError ? t.tools.failed : t.tools.done}
      {durationMs !== undefined && ` · ${t.tools.took(durationMs)}`}
    </span>
  );
}

export function ToolCall({ message, result }: { message: Message; result: Message | undefined }): JSX.Element {
  const t = words();
  const { name: tool, arguments: given } = callBody(message);
  const effects = tool ? effectsOf(tool) : null;
  return (
    <details class="folded">
      <summary>
        <Icon name="tool" size={16} />
        <span class="sr">{t.toolCall}</span>
        <span class="folded-line stays">{tool ?? message.text}</span>
        {effects && <EffectBadges effects={effects} most={2} />}
        {result ? <Outcome result={result} /> : message.kind === "tool_call" && <span class="busy" aria-hidden="true" />}
      </summary>
      {given && Object.keys(given).length > 0 && (
        <pre tabIndex={0}>
          <code>{asText(given)}</code>
        </pre>
      )}
      {(result?.text || message.kind === "tool_result") && (
        <pre tabIndex={0}>
          <code>{result && callBody(result).isError ? inWords(result.text) : (result?.text ?? message.text)}</code>
        </pre>
      )}
    </details>
  );
}
