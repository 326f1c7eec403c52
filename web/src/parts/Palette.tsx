// Ctrl or Cmd and K: a few letters lead to any channel or action.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { theme } from "../state/appearance";
import { inOrder } from "../state/channels";
import { isGuest } from "../state/me";
import { status } from "../state/status";
import { words } from "../words";
import { Icon } from "./Icon";
import { closeDialog, Modal } from "./Modal";
import type { Entry } from "../views/entries";

type Entries = Pick<typeof import("../views"), "everyEntry" | "recallEntry">;

const MOST = 60;

/** What can be found is loaded with the views; the field is here at once, so that nothing that is typed goes elsewhere. */
let entriesHere: Entries | null = null;

function useEntries(): Entries | null {
  const [here, setHere] = useState(entriesHere);
  useEffect(() => {
    if (!here) import("../views").then((views) => setHere((entriesHere = views)), closeDialog);
  }, []);
  return here;
}

/** Lower is better: at the start, at a word's start, anywhere, the letters in order; null when it does not fit. */
export function fit(name: string, typed: string): number | null {
  const [text, wanted] = [name.toLocaleLowerCase(), typed.trim().toLocaleLowerCase()];
  const at = text.indexOf(wanted);
  if (at === 0) return 0;
  if (at > 0) return /\s/.test(text[at - 1]!) ? 1 : 2;
  let from = 0;
  for (const letter of wanted) {
    from = text.indexOf(letter, from) + 1;
    if (from === 0) return null;
  }
  return 3;
}

function best(entries: Entry[], typed: string): Entry[] {
  const scored = entries.flatMap((entry) => {
    const score = fit(entry.name, typed);
    return score === null ? [] : [{ entry, score }];
  });
  return scored.sort((a, b) => a.score - b.score).slice(0, MOST).map(({ entry }) => entry);
}

export function Palette(): JSX.Element {
  const t = words();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const [wanted, setWanted] = useState(false);
  const here = useEntries();
  const entries = useMemo(() => here?.everyEntry() ?? [], [here, inOrder.value, words(), theme.value, status.value]);
  const named = best(entries, typed);
  const found = here && typed.trim() && !isGuest.value ? [...named, here.recallEntry(typed)] : named;
  const current = Math.min(chosen, found.length - 1);

  const run = (entry: Entry | undefined): void => {
    if (!entry) return;
    closeDialog();
    // After the dialog has given the focus back, so that the action can place it.
    setTimeout(entry.act);
  };
  const move = (to: number): void => {
    setChosen(to);
    requestAnimationFrame(() => document.querySelector(".palette [aria-selected=true]")?.scrollIntoView({ block: "nearest" }));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "ArrowDown") move((current + 1) % Math.max(1, found.length));
    else if (event.key === "ArrowUp") move((current - 1 + found.length) % Math.max(1, found.length));
    else if (event.key === "Enter") here ? run(found[current]) : setWanted(true);
    else return;
    event.preventDefault();
  };
  // Enter came before there was anything to find.
  useEffect(() => {
    if (here && wanted) run(found[current]);
  }, [here]);
  return (
    <Modal title={t.paletteLabel} titleHidden class="palette">
      <div class="palette-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label={t.paletteLabel}
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found[current] ? `palette-${found[current].id}` : undefined}
          placeholder={t.palettePlaceholder}
          autoComplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd>Esc</kbd>
      </div>
      <ul id="palette-list" role="listbox" aria-label={t.paletteLabel}>
        {found.map((entry, index) => (
          <li
            key={entry.id}
            id={`palette-${entry.id}`}
            role="option"
            aria-selected={index === current}
            onMouseMove={() => index !== current && setChosen(index)}
            onClick={() => run(entry)}
          >
            {entry.mark}
            <span>{entry.name}</span>
            <small>{entry.note}</small>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="hint">{here ? t.paletteNothing : t.loading}</p>}
      <p class="sr" role="status">
        {t.paletteCount(found.length)}
      </p>
    </Modal>
  );
}
