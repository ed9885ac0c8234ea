import { signal } from '@preact/signals';
import { h } from 'preact';

const SHOWN_MS = 10_000;
const text = signal('');
let clearing: ReturnType<typeof setTimeout> | undefined;

/** Says one sentence in the status line, which screen readers announce. */
export function say(sentence: string): void {
  text.value = sentence;
  clearTimeout(clearing);
  clearing = setTimeout(() => {
    text.value = '';
  }, SHOWN_MS);
}

export const StatusLine = () => h('p', { class: 'status-line', role: 'status', 'aria-live': 'polite' }, text.value);
