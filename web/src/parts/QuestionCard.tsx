// Something only the owner can decide: what is asked, why, and the ways to answer.
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { hubApi } from "../api/hub";
import type { Answer, Question } from "../api/types";
import { announce, notify } from "../state/announce";
import { ruleIsNext } from "../state/tour";
import { useAct } from "../state/useAct";
import { useKept } from "../state/useKept";
import { answerQuestion, hearQuestion, unsentAnswer } from "../state/waiting";
import { words } from "../words";
import { fullTime, shortTime, since } from "../words/format";
import { inWords } from "../words/said";
import { ApprovalForm } from "./ApprovalForm";
import { RuleMaker } from "./RuleMaker";
import { singleKeys } from "./shortcuts";
import { Snooze } from "./Snooze";
import { ChannelTag, SourceLink } from "./Tags";
import { TroubleNote } from "./TroubleNote";
import { Why } from "./Why";

function Meta({ question }: { question: Question }): JSX.Element {
  const { status, snoozedUntil } = question;
  return (
    <p class="meta">
      <ChannelTag channelId={question.channelId} />
      <time dateTime={question.askedAt} title={fullTime(question.askedAt)}>
        {words().askedAt(shortTime(question.askedAt))}
      </time>
      {status === "snoozed" && snoozedUntil && (
        <time dateTime={snoozedUntil} title={fullTime(snoozedUntil)}>
          {words().care.comesBack(since(snoozedUntil))}
        </time>
      )}
    </p>
  );
}

/** What the question does not say itself: it often quotes the sentence that its context begins with. */
function beside(question: Question): string {
  const { text, context } = question;
  if (fromPrime(question)) return context.split("\n\n").map(inWords).join("\n\n");
  const quoted = /[“"「]([^”"」]{12,})[”"」]/.exec(text)?.[1];
  return quoted ? context.replace(quoted, "").trim() : context;
}

function Suggestions({ question, choice, choose }: { question: Question; choice: number | null; choose: (index: number) => void }): JSX.Element | null {
  if (question.suggestions.length === 0) return null;
  return (
    <fieldset class="options">
      <legend class="sr">{words().suggestions}</legend>
      {question.suggestions.map((suggestion, index) => (
        <label class="option" key={suggestion}>
          <input type="radio" name={question.id} checked={choice === index} onChange={() => choose(index)} />
          {index < 9 && singleKeys.value && <kbd aria-hidden="true">{index + 1}</kbd>}
          <span>{fromPrime(question) ? inWords(suggestion).replace(/^\p{Ll}/u, (letter) => letter.toLocaleUpperCase()) : suggestion}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Whether Prime asks in its own words: a question about what people said is in their language. */
const fromPrime = (question: Question): boolean => question.kind !== "decision" || question.sources.length === 0;

interface FormProps {
  question: Question;
  busy: boolean;
  send: (answer: Answer) => void;
  snooze: (untilMs: number) => void;
}

function DecisionForm({ question, busy, send, snooze }: FormProps): JSX.Element {
  const t = words();
  const [choice, setChoice] = useState<number | null>(null);
  const [text, setText] = useKept(unsentAnswer(question.id));
  const [ruling, setRuling] = useState(false);
  const [rule, setRule] = useState("");
  const answer = choice === null ? text.trim() : (question.suggestions[choice] ?? "");
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!answer || busy) return;
    send(ruling ? { text: answer, makeRule: rule.trim() || true } : { text: answer });
  };
  return (
    <form onSubmit={submit}>
      <Suggestions
        question={question}
        choice={choice}
        choose={(index) => {
          setChoice(index);
          setText("");
        }}
      />
      <textarea
        rows={1}
        class="own-words"
        aria-label={t.yourAnswer}
        placeholder={question.suggestions.length ? t.ownWords : t.yourAnswer}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChoice(null);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
        }}
      />
      <label class={`check ${ruleIsNext.value && !ruling ? "pointed-at" : ""}`}>
        <input type="checkbox" checked={ruling} onChange={(event) => setRuling(event.currentTarget.checked)} />
        {t.makeRule}
      </label>
      {ruling && (answer ? <RuleMaker questionId={question.id} answer={answer} rule={rule} setRule={setRule} /> : <p class="why">{t.ruleAnswerFirst}</p>)}
      <p class="acts">
        <button type="submit" class="go" data-done disabled={!answer || busy}>
          {busy ? t.answering : t.answer}
          <kbd aria-hidden="true">Enter</kbd>
        </button>
        <Snooze busy={busy} snooze={snooze} />
        <SourceLink channelId={question.channelId} sources={question.sources}>
          {t.seeMessages(question.sources.length)}
        </SourceLink>
      </p>
    </form>
  );
}

/** What stands below the question. */
function Rest({ question, context, forms }: { question: Question; context: string; forms: FormProps }): JSX.Element {
  if (question.kind === "decision") {
    return (
      <>
        {context && <p class="card-context">{context}</p>}
        <Why question={question} />
        <DecisionForm {...forms} />
      </>
    );
  }
  // The context of a call is its beginning; it stands there whole.
  return (
    <>
      {context && !question.call && <p class="card-context">{context}</p>}
      {question.reason && <p class="why">{inWords(question.reason)}</p>}
      <ApprovalForm {...forms} />
    </>
  );
}

interface CardProps {
  question: Question;
  /** Beside what it is about; the same question stands in the pane of what waits, too. */
  here?: boolean;
  /** Only what is asked, until somebody turns to it. */
  folds?: boolean;
}

export function QuestionCard({ question, here = false, folds = false }: CardProps): JSX.Element {
  const t = words();
  const card = useRef<HTMLElement>(null);
  const where = here ? "here-" : "";
  const context = beside(question);
  const asked = fromPrime(question) ? inWords(question.text) : question.text;
  const [turnedTo, setTurnedTo] = useState(false);
  const folded = folds && !turnedTo;
  const turnTo = (): void => {
    setTurnedTo(true);
    card.current?.focus();
  };
  const { busy, trouble, act } = useAct();
  /** The card is about to go: whoever was in it goes on with the next. */
  const leaving = async (work: () => Promise<unknown>, said: string): Promise<void> => {
    const hadFocus = card.current?.contains(document.activeElement);
    const next = (card.current?.nextElementSibling ?? card.current?.previousElementSibling) as HTMLElement | null;
    if (!(await act(work))) return;
    announce(said);
    if (hadFocus) next?.focus();
  };
  const send = async (answer: Answer): Promise<void> => {
    const { rule } = await answerQuestion(question.id, answer);
    if (rule) notify({ text: t.ruleLearned(rule.text) });
  };
  const snooze = async (untilMs: number): Promise<void> => hearQuestion(await hubApi.snooze(question.id, untilMs));
  const forms = {
    question,
    busy,
    send: (answer: Answer) => void leaving(() => send(answer), t.answerSent),
    snooze: (untilMs: number) => void leaving(() => snooze(untilMs), t.snoozed),
  };
  return (
    <article
      ref={card}
      class="card ask"
      data-card={here ? undefined : true}
      id={`${where}card-${question.id}`}
      tabIndex={-1}
      aria-labelledby={`${where}q-${question.id}`}
      onFocus={(event) => event.target === card.current && setTurnedTo(true)}
    >
      <Meta question={question} />
      <h3 id={`${where}q-${question.id}`}>
        {folded ? (
          <button type="button" class="turn-to" aria-expanded="false" onClick={turnTo}>
            <span>{question.kind === "approval" && context ? context : asked}</span>
          </button>
        ) : (
          asked
        )}
      </h3>
      {!folded && <Rest question={question} context={context} forms={forms} />}
      {trouble && <TroubleNote trouble={trouble} />}
    </article>
  );
}
