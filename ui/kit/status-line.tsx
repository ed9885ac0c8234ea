import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { path } from '../data/router.ts';

/** What an action did: a sentence, and what it is about. */
export interface Message {
  readonly text: string;
  readonly link?: { readonly href: string; readonly words: string };
  /** A failure stays until somebody dismisses it or goes to another page. */
  readonly isFailure?: boolean;
}

const SHOWN_MS = 10_000;
const shown = signal<Message | undefined>(undefined);
let clearing: ReturnType<typeof setTimeout> | undefined;

const dismiss = (): void => {
  shown.value = undefined;
};

effect(() => {
  if (path.value) dismiss();
});

/** Shows a message at the bottom of the window. Screen readers announce it. */
export function say(message: string | Message): void {
  const said = typeof message === 'string' ? { text: message } : message;
  shown.value = said;
  clearTimeout(clearing);
  clearing = said.isFailure ? undefined : setTimeout(dismiss, SHOWN_MS);
}

export const failure = (text: string, link?: Message['link']): Message => ({ text, link, isFailure: true });

/** Dialogs that are open. Nothing outside them is in sight or read out. */
const dialogs = signal(0);

export const StatusLine = () => <Line message={dialogs.value === 0 ? shown.value : undefined} />;

/** The status line inside an open dialog. */
export function DialogStatusLine() {
  useEffect(() => {
    dialogs.value += 1;
    return () => {
      dialogs.value -= 1;
    };
  }, []);
  return <Line message={shown.value} />;
}

/** The region for screen readers is there before its message. */
const Line = ({ message }: { message: Message | undefined }) => (
  <div class={`status-line ${message ? `shown ${message.isFailure ? 'bad' : 'good'}` : ''}`}>
    <p role="status">
      {message && (
        <>
          <span aria-hidden="true">{message.isFailure ? '! ' : '✓ '}</span>
          <span>{message.text}</span>{' '}
          {message.link && (
            <a href={message.link.href} onClick={dismiss}>
              {message.link.words}
            </a>
          )}
        </>
      )}
    </p>
    {message && (
      <button type="button" class="quiet" aria-label="Dismiss the message" onClick={dismiss}>
        ✕
      </button>
    )}
  </div>
);
