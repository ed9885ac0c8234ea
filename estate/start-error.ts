import { FixtureError } from '../fixtures/checked-file.ts';

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

/** Turns the error of a server that cannot listen into one sentence. It names the variable to change, for the port or for the address. */
export const explainListenError =
  (variable: string, host = 'HOST') =>
  (error: unknown): never => {
    const { code, port, address } = error as { code?: string; port?: number; address?: string };
    if (code === 'EADDRINUSE') throw new StartError(`Port ${port} is taken; free it, or choose another one with ${variable}.`, 1);
    if (code === 'EACCES') throw new StartError(`Port ${port} may not be opened by this user; choose another one with ${variable}.`, 1);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartError(`This machine does not have the address ${address ?? `in ${host}`}; choose another one with ${host}.`, 1);
    throw error;
  };
