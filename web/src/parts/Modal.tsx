// A dialog over the page: the browser keeps the focus inside, closes on Escape and gives the focus back.
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { dialog } from "../state/dialogs";
import { words } from "../words";
import { Icon } from "./Icon";

interface Props {
  title: string;
  titleHidden?: boolean;
  class?: string;
  children: ComponentChildren;
}

export const closeDialog = (): void => {
  dialog.value = null;
};

export function Modal({ title, titleHidden, class: extra, children }: Props): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  // Before the next key arrives: what is typed right after the shortcut belongs into the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  // Said at once and not when the browser tells that it has closed: the next key may come before that.
  const cancel = (event: Event): void => {
    event.preventDefault();
    closeDialog();
  };
  /** Told late, it may come when another dialog has taken this one's place. */
  const closed = (): void => {
    if (element.current) closeDialog();
  };
  const closeOutside = (event: MouseEvent): void => {
    if (event.target === element.current) closeDialog();
  };
  return (
    <dialog ref={element} class={`modal ${extra ?? ""}`} aria-label={title} onCancel={cancel} onClose={closed} onMouseDown={closeOutside}>
      <div class="modal-in">
        {!titleHidden && (
          <header>
            <h2>{title}</h2>
            <button type="button" class="quiet icon-only" aria-label={words().close} onClick={closeDialog}>
              <Icon name="close" />
            </button>
          </header>
        )}
        {children}
      </div>
    </dialog>
  );
}
