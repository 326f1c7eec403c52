// Why Prime asks and does not decide: the reason, and what weighed how much.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { hubApi, type Feature } from "../api/hub";
import type { Question } from "../api/types";
import { words } from "../words";
import { inWords } from "../words/said";

export function Weights({ features }: { features: readonly Feature[] }): JSX.Element {
  const t = words();
  const most = Math.max(0.3, ...features.map((feature) => Math.abs(feature.weight)));
  return (
    <ul class="weights">
      {features.map((feature) => (
        <li key={feature.name}>
          <span class="weight-name">{t.feature(feature.name)}</span>
          <span class="weight-bar" aria-hidden="true">
            <span class={feature.weight < 0 ? "less" : ""} style={{ width: `${(100 * Math.abs(feature.weight)) / most}%` }} />
          </span>
          <span class="weight-number">
            {feature.weight < 0 ? "−" : "+"}
            {Math.abs(feature.weight).toFixed(2)}
          </span>
          {feature.because && <small>{feature.because}</small>}
        </li>
      ))}
    </ul>
  );
}

export function Why({ question }: { question: Question }): JSX.Element | null {
  const t = words();
  const [features, setFeatures] = useState<readonly Feature[] | null>(null);
  const open = (event: Event): void => {
    if (!(event.currentTarget as HTMLDetailsElement).open || features) return;
    // What weighed is a comfort; the reason stands there already.
    hubApi.features(question).then(setFeatures, () => setFeatures([]));
  };
  if (!question.reason && question.sources.length === 0) return null;
  return (
    <details class="why-fold" onToggle={open}>
      <summary>
        <span class="necessity" role="img" aria-label={t.necessity(question.necessity.toFixed(2))}>
          <span style={{ width: `${100 * Math.min(1, question.necessity)}%` }} />
        </span>
        {t.whyYou} <span class="faint">{question.necessity.toFixed(2)}</span>
      </summary>
      {features && features.length > 0 ? <Weights features={features} /> : question.reason && <p class="why">{question.sources.length ? question.reason : inWords(question.reason)}</p>}
    </details>
  );
}
