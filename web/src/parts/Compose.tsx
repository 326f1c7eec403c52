// Where the owner writes. What is not sent yet stays with its channel, in this browser.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { HUB, type Channel } from "../api/types";
import { suggestedText } from "../state/dialogs";
import { kept } from "../state/kept";
import { send } from "../state/outbox";
import { words } from "../words";
import { Icon } from "./Icon";

const touch = matchMedia("(pointer: coarse)").matches;

function useGrowing(text: string): { current: HTMLTextAreaElement | null } {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const el = field.current;
    if (!el) return;
    el.style.height = "auto";
    el.style.height = `${el.scrollHeight}px`;
  }, [text]);
  return field;
}

export function Compose({ channel }: { channel: Channel }): JSX.Element {
  const t = words();
  const place = `unsent:${channel.id}`;
  const [text, setText] = useState(() => kept.read(place) ?? "");
  const field = useGrowing(text);
  const write = (next: string): void => {
    setText(next);
    kept.write(place, next);
  };
  const suggestion = suggestedText.value;
  useEffect(() => {
    if (!suggestion) return;
    suggestedText.value = null;
    write(suggestion.text);
    field.current?.focus();
  }, [suggestion]);

  const submit = (): void => {
    if (!text.trim()) return;
    send(channel.id, text.trim());
    write("");
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // While characters are being composed (Chinese, Japanese, accents), Enter belongs to the input method.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229 || touch) return;
    event.preventDefault();
    submit();
  };
  const label = channel.id === HUB ? t.tellPrime : t.message(channel.name);
  return (
    <form
      class="compose"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div class="box">
        <textarea
          id="compose"
          ref={field}
          rows={1}
          aria-label={label}
          aria-describedby="compose-hint"
          placeholder={label}
          value={text}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button type="submit" class="go" disabled={!text.trim()}>
          <Icon name="send" size={18} />
          <span>{t.send}</span>
        </button>
      </div>
      <p id="compose-hint" class="compose-hint">
        {touch ? t.composeHintTouch : t.composeHint}
      </p>
    </form>
  );
}
