import type { WriteStream } from 'node:tty';
import { withoutControls } from '../../shared/domain/printable.ts';
import { print } from '../../shared/process/terminal.ts';

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
      print(
        withoutControls(text)
          .replaceAll(/[\r\n]+/g, ' ')
          .slice(0, Math.max(0, stream.columns - 1)),
        stream,
      );
    },
    clear,
  };
}
