// What else can be done with a channel: rename it, search in it, its courses and context, pause it, close it.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { asTrouble } from "../api/client";
import { HUB, type Channel } from "../api/types";
import { notify } from "../state/announce";
import { switchChannel } from "../state/channels";
import { dialog } from "../state/dialogs";
import { go } from "../state/place";
import { words } from "../words";
import { Icon, type IconName } from "./Icon";

async function turn(channel: Channel): Promise<void> {
  try {
    await switchChannel(channel);
  } catch (cause) {
    notify({ trouble: asTrouble(cause) });
  }
}

interface Entry {
  name: string;
  icon: IconName;
  act: () => void;
}

function entries(channel: Channel): Entry[] {
  const t = words();
  return [
    ...(channel.id === HUB ? [] : [{ name: t.care.details, icon: "people" as const, act: () => (dialog.value = "channel") }]),
    { name: t.searchHere, icon: "search", act: () => go(`/recall?in=${encodeURIComponent(channel.name)}`) },
    { name: t.scripts.keep, icon: "script", act: () => (dialog.value = "keep-course") },
    { name: t.care.courses, icon: "refresh", act: () => (dialog.value = "courses") },
    { name: t.scripts.context, icon: "chip", act: () => (dialog.value = "context") },
    ...(!channel.driven ? [] : [{ name: channel.paused ? t.resume : t.pauseOne, icon: channel.paused ? ("play" as const) : ("pause" as const), act: () => void turn(channel) }]),
    ...(channel.id === HUB ? [] : [{ name: t.scripts.close, icon: "close" as const, act: () => (dialog.value = "close-channel") }]),
  ];
}

export function ChannelMenu({ channel }: { channel: Channel }): JSX.Element {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    box.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const outside = (event: Event): void => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", outside);
    return () => removeEventListener("pointerdown", outside);
  }, [open]);
  const leave = (): void => {
    setOpen(false);
    box.current?.querySelector<HTMLElement>("button")?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!open) return;
    const items = [...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    if (event.key === "Escape") leave();
    else if (event.key === "ArrowDown") items[(at + 1) % items.length]?.focus();
    else if (event.key === "ArrowUp") items[(at - 1 + items.length) % items.length]?.focus();
    else if (event.key === "Tab") return setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu" ref={box} onKeyDown={onKeyDown}>
      <button type="button" class="quiet icon-only" aria-haspopup="menu" aria-expanded={open} aria-label={words().scripts.menu} onClick={() => setOpen(!open)}>
        <Icon name="dots" />
      </button>
      {open && (
        <ul role="menu" aria-label={words().scripts.menu}>
          {entries(channel).map((entry) => (
            <li key={entry.name} role="none">
              <button
                type="button"
                role="menuitem"
                class="quiet"
                tabIndex={-1}
                onClick={() => {
                  leave();
                  entry.act();
                }}
              >
                <Icon name={entry.icon} size={18} />
                {entry.name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
