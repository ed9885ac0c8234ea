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

export const misuse = (sentence: string): CommandFailure => new CommandFailure(sentence, EXIT.misuse);
