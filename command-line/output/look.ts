import type { WriteStream } from 'node:tty';
import { styled } from '../../shared/process/terminal.ts';

type Format = Parameters<typeof styled>[0];

/** How text looks where it is printed. */
export interface Look {
  /** Width of the terminal; undefined when nothing needs to fit. */
  readonly columns: number | undefined;
  readonly style: (format: Format, text: string) => string;
}

/** Colours and limited width on a terminal only. NO_COLOR and FORCE_COLOR are respected. */
export const lookOf = (stream: WriteStream): Look => ({
  columns: stream.isTTY ? stream.columns || 80 : undefined,
  style: (format, text) => styled(format, text, { stream }),
});
