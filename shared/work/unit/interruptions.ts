/** A commit was refused because another one was faster. The pipeline runs the handler again; a handler must not catch it. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  readonly why: string;
  constructor(why: string, at: string) {
    super(`${why}: ${at}`);
    this.why = why;
  }
}

/** The client left before anything was done. The request ends without an answer, and its handler commits nothing any more. */
export class CallerLeft extends Error {
  override readonly name = 'CallerLeft';
}
