import type { WriteStream } from 'node:tty';
import { withoutControls } from '../../shared/domain/printable.ts';
import { print } from '../../shared/process/terminal.ts';

/** A progress line on standard error, on a terminal only. */
export interface Progress {
  show(text: string): void;
  clear(): void;
}

export function progressOn(stream: WriteStream): Progress {
  if (!stream.isTTY) return { show: () => undefined, clear: () => undefined };
  const clear = (): void => {
    stream.cursorTo(0);
    stream.clearLine(0);
  };
  return {
    show: (text) => {
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
