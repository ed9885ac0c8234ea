import { type ComponentChildren, h } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { DialogStatusLine } from './status-line.ts';

/** A modal dialog: Escape and the button close it, and the focus returns to where it was. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children?: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement && document.activeElement === document.body) opener.focus();
    };
  }, []);
  return h(
    'dialog',
    { ref: dialog, 'aria-label': title, onClose },
    // No header element: in a dialog it would be one of the whole page.
    h(
      'div',
      { class: 'head' },
      h('h2', {}, title),
      h('button', { type: 'button', class: 'quiet', onClick: () => dialog.current?.close() }, 'Close'),
    ),
    h('div', { class: 'in' }, children),
    h(DialogStatusLine, {}),
  );
}
