// "Make this a rule": the rule as it would be learned, editable, and what it would have settled so far.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { asTrouble, type Trouble } from "../api/client";
import { hubApi, type RulePreview } from "../api/hub";
import { useLater } from "../state/useLater";
import { words } from "../words";
import { LongField } from "./Field";
import { ChannelTag } from "./Tags";
import { troubleText } from "./TroubleNote";

interface Props {
  questionId: string;
  answer: string;
  rule: string;
  setRule: (text: string) => void;
}

function Resolves({ preview }: { preview: RulePreview }): JSX.Element {
  const t = words();
  if (preview.resolves.length === 0) return <p class="why">{t.ruleWouldNone}</p>;
  return (
    <details class="why-fold">
      <summary>{t.ruleWould(preview.resolves.length)}</summary>
      <ul class="resolves">
        {preview.resolves.slice(0, 8).map((candidate) => (
          <li key={candidate.messageId}>
            <ChannelTag channelId={candidate.channelId} /> {candidate.text}
          </li>
        ))}
      </ul>
    </details>
  );
}

export function RuleMaker({ questionId, answer, rule, setRule }: Props): JSX.Element {
  const t = words();
  const [preview, setPreview] = useState<RulePreview | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [worded, setWorded] = useState("");
  // While the person has not reworded it, the rule follows the answer.
  const own = rule !== "" && rule !== worded;
  // What was worded for another answer must not go out with this one.
  useEffect(() => {
    if (own) return;
    setRule("");
    setPreview(null);
  }, [answer]);
  const wanted = useLater(own ? `rule ${rule}` : `answer ${answer}`, 350);
  useEffect(() => {
    let left = false;
    const given = wanted.startsWith("rule ") ? { text: wanted.slice(5) } : { answer: wanted.slice(7) };
    if (!Object.values(given)[0]?.trim()) return;
    hubApi.previewRule(questionId, given).then(
      (found) => {
        if (left) return;
        setPreview(found);
        setTrouble(null);
        if (!("text" in given)) {
          setWorded(found.text);
          setRule(found.text);
        }
      },
      (cause: unknown) => !left && setTrouble(asTrouble(cause)),
    );
    return () => {
      left = true;
    };
  }, [questionId, wanted]);
  // It pushes the button below it away; that stays in sight.
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.nextElementSibling?.scrollIntoView({ block: "nearest" }), [preview === null]);
  return (
    <div class="rule-maker" ref={box}>
      <LongField label={t.ruleText} rows={2} value={rule} onValue={setRule} bad={trouble ? troubleText(trouble).what : null} />
      {preview ? <Resolves preview={preview} /> : <p class="why">{t.ruleThinking}</p>}
    </div>
  );
}
