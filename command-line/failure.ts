export const EXIT = { holds: 0, fails: 1, misuse: 2, unreachable: 3 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with a sentence for its user. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;
  constructor(sentence: string, exitCode: ExitCode) {
    super(sentence);
    this.exitCode = exitCode;
  }
}

/** The estate does not have the rehearsal. */
export class UnknownRehearsal extends CommandFailure {}

/** @returns undefined if the rehearsal ended after it was listed */
export async function unlessEnded<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof UnknownRehearsal) return undefined;
    throw error;
  }
}

export const misuse = (sentence: string): CommandFailure => new CommandFailure(sentence, EXIT.misuse);
