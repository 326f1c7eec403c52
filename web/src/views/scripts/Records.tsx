// What a script holds, or the first thing that is wrong with it.
import type { JSX } from "preact";
import type { CheckedScript, ScriptProblem } from "../../api/scripts";
import { words } from "../../words/all";
import { inWords } from "../../words/said";

export function Problem({ problem }: { problem: ScriptProblem }): JSX.Element {
  const t = words().scripts;
  return (
    <div class="trouble" role="alert">
      <div>
        <strong>{t.atLine(problem.line, inWords(problem.message))}</strong>
        {problem.expected && <p>{t.expected(problem.expected)}</p>}
        {problem.hint && <p>{inWords(problem.hint)}</p>}
      </div>
    </div>
  );
}

export function Records({ records }: { records: CheckedScript["records"] }): JSX.Element {
  const t = words().scripts;
  return (
    <ol class="records">
      {records.map((record, index) => (
        <li key={index}>
          <span class="badge plain">{t.record(record.type)}</span>
          <p>{record.text}</p>
        </li>
      ))}
    </ol>
  );
}
