import type { WriteStream } from 'node:tty';

/** A line on standard error that says what goes on, on a terminal only. */
export interface Progress {
  /** Replaces the line. */
  say(text: string): void;
  clear(): void;
}

export function progressOn(stream: WriteStream): Progress {
  if (!stream.isTTY) return { say: () => undefined, clear: () => undefined };
  const clear = (): void => {
    stream.cursorTo(0);
    stream.clearLine(0);
  };
  return {
    say: (text) => {
      clear();
      stream.write(text.slice(0, Math.max(0, stream.columns - 1)));
    },
    clear,
  };
}
