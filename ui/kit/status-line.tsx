import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

const SHOWN_MS = 10_000;
const text = signal('');
let clearing: ReturnType<typeof setTimeout> | undefined;

/** Shows a sentence in the status line. Screen readers announce it. */
export function say(sentence: string): void {
  text.value = sentence;
  clearTimeout(clearing);
  clearing = setTimeout(() => {
    text.value = '';
  }, SHOWN_MS);
}

/** Dialogs that are open. Nothing outside them is in sight or read out. */
const dialogs = signal(0);

export const StatusLine = () => <Line text={dialogs.value === 0 ? text.value : ''} />;

/** The status line inside an open dialog. */
export function DialogStatusLine() {
  useEffect(() => {
    dialogs.value += 1;
    return () => {
      dialogs.value -= 1;
    };
  }, []);
  return <Line text={text.value} />;
}

const Line = ({ text: sentence }: { text: string }) => (
  <p class="status-line" role="status" aria-live="polite">
    {sentence}
  </p>
);
