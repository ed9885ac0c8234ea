import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../control/context.ts';
import type { Ids } from '../observability/observer.ts';
import type { Answer } from './answer.ts';

/** A request as it arrives at an application, over HTTP or within a process. */
export interface ArrivingRequest {
  readonly method: string;
  /** Path with the query. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The context of a request within a process. Over HTTP it is in the headers. */
  readonly context?: Context;
  /** Reads the body. Called once, after the check that the request comes from inside the estate. */
  readonly body: () => Promise<Buffer | undefined> | Buffer | string | undefined;
  /** Whether nobody waits for the answer. */
  readonly hasLeft: () => boolean;
}

export interface Answered {
  readonly ids: Pick<Ids, 'requestId' | 'correlationId'>;
  readonly answer: Answer;
}

/** Answers requests of the same process. @returns undefined when no answer comes, as when a connection breaks @throws NotListening */
export type Endpoint = (request: ArrivingRequest) => Promise<Answered | undefined>;

/** The application has not started or has stopped. */
export class NotListening extends Error {
  override readonly name = 'NotListening';
}
