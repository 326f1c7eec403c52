import type { JSX } from "preact";
import { words } from "../words/all";
import { Modal } from "../parts/Modal";
import { commandKey, setSingleKeys, singleKeys } from "../parts/shortcuts";

export default function ShortcutList(): JSX.Element {
  const t = words();
  const rows: [string[], string][] = [
    [[commandKey, "K"], t.keys.palette],
    [["c"], t.keys.compose],
    [["j"], t.keys.next],
    [["k"], t.keys.previous],
    [["1", "9"], t.keys.choose],
    [["Shift", "1…9"], t.keys.chooseAndSend],
    [["r"], t.keys.reply],
    [["e"], t.keys.done],
    [["/"], t.keys.recall],
    [["]"], t.keys.channelDown],
    [["["], t.keys.channelUp],
    [["n"], t.keys.newChannel],
    [["↑"], t.keys.messages],
    [["?"], t.keys.help],
    [["Esc"], t.keys.close],
  ];
  return (
    <Modal title={t.shortcuts}>
      <p class="soft">{t.shortcutsIntro}</p>
      <dl class="keys">
        {rows.map(([keys, meaning]) => (
          <div key={meaning}>
            <dt>
              {keys.map((key, index) => (
                <>
                  {index > 0 && (keys[0] === "1" ? "–" : " ")}
                  <kbd>{key}</kbd>
                </>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={singleKeys.value} onChange={(event) => setSingleKeys(event.currentTarget.checked)} />
        {t.shortcutsOn}
      </label>
    </Modal>
  );
}
