/** A start that cannot go on. The message is one sentence for a person; exit codes follow sysexits.h. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly exitCode: number;
  constructor(sentence: string, exitCode = 78) {
    super(sentence);
    this.exitCode = exitCode;
  }
}
