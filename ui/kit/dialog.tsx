import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { DialogStatusLine } from './status-line.tsx';

/** A modal dialog. Escape, its button and each of its links close it. Then the focus returns to the element that had it before. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children?: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    dialog.current?.addEventListener('click', ({ target }) => target instanceof Element && target.closest('a') && onClose());
    return () => {
      if (opener instanceof HTMLElement && document.activeElement === document.body) opener.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-label={title} onClose={onClose}>
      {/* No header element: in a dialog it would be one of the whole page. */}
      <div class="head">
        <h2>{title}</h2>
        <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
      <div class="in">{children}</div>
      <DialogStatusLine />
    </dialog>
  );
}
