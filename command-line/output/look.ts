import type { WriteStream } from 'node:tty';
import { styled } from '../../shared/process/terminal.ts';

type Format = Parameters<typeof styled>[0];

export interface Look {
  /** Width of the terminal; undefined when the stream is not one. */
  readonly columns: number | undefined;
  readonly style: (format: Format, text: string) => string;
}

/** Colours and limited width on a terminal only. Respects NO_COLOR and FORCE_COLOR. */
export const lookOf = (stream: WriteStream): Look => ({
  columns: stream.isTTY ? stream.columns || 80 : undefined,
  style: (format, text) => styled(format, text, { stream }),
});
