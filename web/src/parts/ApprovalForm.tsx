// A tool call that waits for a yes: exactly what would run, and how far the yes goes.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Answer, Question } from "../api/types";
import { effectsOf } from "../state/toolEffects";
import { words } from "../words";
import { callText } from "./callText";
import { Badges } from "./EffectBadges";
import { askedBadges } from "./badges";
import { Field } from "./Field";
import { SourceLink } from "./Tags";

interface Props {
  question: Question;
  busy: boolean;
  send: (answer: Answer) => void;
}

function Always({ call, busy, send, leave }: { call: Record<string, unknown>; busy: boolean; send: (answer: Answer) => void; leave: () => void }): JSX.Element {
  const t = words();
  const exact = typeof call["line"] === "string" ? call["line"] : callText(call);
  const [pattern, setPattern] = useState(exact);
  return (
    <div class="rule-maker">
      <Field label={t.tools.pattern} hint={pattern === exact ? t.alwaysMeans : t.tools.patternHint} value={pattern} onValue={setPattern} mono autofocus />
      <p class="acts">
        <button type="button" class="go" disabled={busy} onClick={() => send(pattern === exact ? { choice: "always" } : { choice: "always", pattern })}>
          {t.always}
        </button>
        <button type="button" class="quiet" onClick={leave}>
          {t.cancel}
        </button>
      </p>
    </div>
  );
}

const reasonCodes = (call: Question["call"]): string[] => ((call?.["reasons"] ?? []) as { code: string }[]).map((reason) => reason.code);

export function ApprovalForm({ question, busy, send }: Props): JSX.Element {
  const t = words();
  const [always, setAlways] = useState(false);
  const { call } = question;
  const tool = call?.["tool"];
  const effects = typeof tool === "string" ? effectsOf(tool) : null;
  return (
    <>
      {call && (
        <pre class="call" tabIndex={0} aria-label={t.approval}>
          <code>{callText(call)}</code>
        </pre>
      )}
      {effects && <Badges all={askedBadges(effects, reasonCodes(call))} />}
      {always && call ? (
        <Always call={call} busy={busy} send={send} leave={() => setAlways(false)} />
      ) : (
        <p class="acts">
          <button type="button" class="go" disabled={busy} onClick={() => send({ choice: "yes" })}>
            {t.yesOnce}
          </button>
          <button type="button" disabled={busy} onClick={() => send({ choice: "no" })}>
            {t.no}
          </button>
          <button type="button" class="quiet" disabled={busy} onClick={() => setAlways(true)}>
            {t.always}
          </button>
          <SourceLink channelId={question.channelId} sources={question.sources}>
            {t.seeMessages(question.sources.length)}
          </SourceLink>
        </p>
      )}
    </>
  );
}
