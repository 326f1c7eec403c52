// Where the owner writes. What is not sent yet stays with its channel, in this browser.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { HUB, type Channel } from "../api/types";
import { suggestedText } from "../state/dialogs";
import { touch } from "../state/narrow";
import { send } from "../state/outbox";
import { useKept } from "../state/useKept";
import { words } from "../words";
import { fileSize } from "../words/format";
import { Icon } from "./Icon";
import { StopButton } from "./StopButton";
import { troubleText } from "./TroubleNote";
import { useUploads, type Upload, type Uploads } from "./useUploads";

/** More than this is a file: it is read all the same, and the conversation stays one. */
const LONGEST = 100_000;

const clipboardOf = ({ clipboardData }: ClipboardEvent): { files: readonly File[]; text: string } => ({
  files: [...(clipboardData?.files ?? [])],
  text: clipboardData?.getData("text/plain") ?? "",
});

/** As tall as what is written, where the browser does not see to that itself. */
function useGrowing(text: string): { current: HTMLTextAreaElement | null } {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const el = field.current;
    if (!el || CSS.supports("field-sizing", "content")) return;
    el.style.height = "auto";
    // Behind another tab it has no height to be measured.
    if (el.scrollHeight > 0) el.style.height = `${el.scrollHeight}px`;
  }, [text]);
  return field;
}

function Chip({ item, remove }: { item: Upload; remove: () => void }): JSX.Element {
  const t = words();
  return (
    <li class={`upload ${item.trouble ? "bad" : ""}`}>
      <Icon name={item.trouble ? "alert" : "file"} size={16} />
      <span class="upload-name">{item.name}</span>
      {item.trouble ? (
        <span role="alert">{troubleText(item.trouble).what}</span>
      ) : item.id ? (
        <small>{fileSize(item.size)}</small>
      ) : (
        <span class="busy">
          <span class="sr">{t.uploading(item.name)}</span>
        </span>
      )}
      <button type="button" class="quiet icon-only tiny" aria-label={t.removeNamed(item.name)} onClick={remove}>
        <Icon name="close" size={14} />
      </button>
    </li>
  );
}

function Chips({ uploads }: { uploads: Uploads }): JSX.Element | null {
  if (uploads.items.length === 0) return null;
  return (
    <ul class="uploads" aria-label={words().attachments}>
      {uploads.items.map((item) => (
        <Chip key={item.key} item={item} remove={() => uploads.remove(item.key)} />
      ))}
    </ul>
  );
}

/** Files may be dropped anywhere on the page; they go to the open conversation. */
function useDrop(add: (files: Iterable<File>) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(add);
  latest.current = add;
  useEffect(() => {
    const carries = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    const onOver = (event: DragEvent): void => {
      if (!carries(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = (event: DragEvent): void => {
      if (!event.relatedTarget) setOver(false);
    };
    const onDrop = (event: DragEvent): void => {
      if (!carries(event)) return;
      event.preventDefault();
      setOver(false);
      latest.current(event.dataTransfer?.files ?? []);
    };
    addEventListener("dragover", onOver);
    addEventListener("dragleave", onLeave);
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("dragover", onOver);
      removeEventListener("dragleave", onLeave);
      removeEventListener("drop", onDrop);
    };
  }, []);
  return over;
}

function AttachButton({ add }: { add: (files: Iterable<File>) => void }): JSX.Element {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        class="sr"
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => {
          add(event.currentTarget.files ?? []);
          event.currentTarget.value = "";
        }}
      />
      <button type="button" class="quiet icon-only" aria-label={words().attach} title={words().attach} onClick={() => picker.current?.click()}>
        <Icon name="clip" />
      </button>
    </>
  );
}

export function Compose({ channel }: { channel: Channel }): JSX.Element {
  const t = words();
  const [text, write] = useKept(`unsent:${channel.id}`);
  const field = useGrowing(text);
  const uploads = useUploads();
  const dropping = useDrop(uploads.add);
  const suggestion = suggestedText.value;
  useEffect(() => {
    if (!suggestion) return;
    suggestedText.value = null;
    write(suggestion.text);
    field.current?.focus();
  }, [suggestion]);

  const arrived = uploads.items.filter((item) => item.id);
  const sendable = (text.trim() !== "" || arrived.length > 0) && !uploads.busy;
  const submit = (): void => {
    if (!sendable) return;
    const names = arrived.map((item) => item.name).join(", ");
    send(channel.id, text.trim() || names, arrived.map((item) => item.id!));
    write("");
    uploads.clear();
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // While characters are being composed (Chinese, Japanese, accents), Enter belongs to the input method.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229 || touch) return;
    event.preventDefault();
    submit();
  };
  const onPaste = (event: ClipboardEvent): void => {
    const { files, text: pasted } = clipboardOf(event);
    const added = files.length ? files : text.length + pasted.length > LONGEST ? [new File([pasted], t.pastedText, { type: "text/plain" })] : [];
    if (added.length === 0) return;
    event.preventDefault();
    uploads.add(added);
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
      {dropping && <p class="drop">{t.dropHere}</p>}
      <Chips uploads={uploads} />
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
          onPaste={onPaste}
        />
        <AttachButton add={uploads.add} />
        <StopButton channelId={channel.id} />
        <button type="submit" class="go" disabled={!sendable}>
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
