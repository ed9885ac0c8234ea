import { FixtureError } from '../fixtures/fixture-error.ts';

/** A failed start. The message is for a person: a sentence, or a line for each mistake. Exit codes follow sysexits.h. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly exitCode: number;
  constructor(sentence: string, exitCode = 78) {
    super(sentence);
    this.exitCode = exitCode;
  }
}

/** The text and exit code of a failed start. Only an internal error has a stack. */
export function explainStart(error: unknown): { readonly text: string; readonly exitCode: number } {
  if (error instanceof StartError) return { text: error.message, exitCode: error.exitCode };
  if (error instanceof FixtureError) return { text: error.message, exitCode: 78 };
  return { text: error instanceof Error ? (error.stack ?? error.message) : String(error), exitCode: 1 };
}
