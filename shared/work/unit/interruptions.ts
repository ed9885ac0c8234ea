/** A commit was refused because of a conflicting commit. The pipeline reruns the handler; a handler must not catch it. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  readonly why: string;
  constructor(why: string, at: string) {
    super(`${why}: ${at}`);
    this.why = why;
  }
}

/** The client left before anything was done. The request ends without an answer, and its handler commits nothing. */
export class CallerLeft extends Error {
  override readonly name = 'CallerLeft';
}
