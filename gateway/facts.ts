import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiDefinition } from '../shared/catalog/define.ts';
import type { Span } from '../shared/observability/observer.ts';
import type { WorldView } from '../shared/store/ports/rehearsals.ts';
import type { AuthenticatedCaller } from './credentials.ts';
import type { ForwardedRequest } from './forwarder.ts';
import type { RequestIds } from './request-ids.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** A value of `performance.now()`. */
  readonly started: number;
}

/** The part that answers a request: an API, or a part of the gateway. */
export type Target =
  | { readonly target: 'api'; readonly api: ApiDefinition }
  | {
      readonly target: 'preflight' | 'health' | 'token' | 'revocation' | 'metrics' | 'control plane' | 'agents' | 'documents';
      readonly api?: undefined;
    };

/** The facts that the steps may have established about a request. A refusal and the access log use the available ones. */
export interface ProvedFacts extends Exchange {
  /** The path without the query. */
  readonly path?: string;
  readonly target?: Target['target'];
  readonly api?: ApiDefinition | undefined;
  /** Whether the request is a dry run of an API, which leaves no trace in the world. */
  readonly isDryRun?: boolean;
  readonly span?: Span | undefined;
  /** W3C trace context for the spans and logs of the request. */
  readonly traceparent?: string | undefined;
  /** The authenticated caller. Undefined for anonymous callers and for signed requests. */
  readonly caller?: AuthenticatedCaller | undefined;
  readonly view?: WorldView | undefined;
  readonly ids?: RequestIds;
  readonly body?: Buffer | undefined;
  /** Whether the application may have received the request. */
  readonly forwarded?: ForwardedRequest;
}

/** How far a request came, and what ended it before its answer. */
export interface Outcome {
  readonly facts: ProvedFacts;
  /** The value that a step threw. It may be of any type. */
  readonly refusal?: { readonly error: unknown };
}

/** Takes a request through its steps. Never rejects: an error of a step is part of the outcome. */
export type Passage<Begun> = (begun: Begun) => Promise<Outcome>;

/**
 * A list of steps. It compiles only if every step gets the facts that it needs from the steps before it.
 * `Begun` are the facts before the first step, `Reached` the facts after the last one.
 */
interface Steps<Begun, Reached extends ProvedFacts> {
  /** Adds the fact that the step returns. */
  prove<Fact extends object>(step: (reached: Reached) => Fact | Promise<Fact>): Steps<Begun, Reached & Fact>;
  /** Lets the request pass, or refuses it by throwing. */
  check(step: (reached: Reached) => void): Steps<Begun, Reached>;
  end(answer: (reached: Reached) => void | Promise<void>): Passage<Begun>;
  /** Chooses the steps for one kind of request. */
  fork(choose: (reached: Reached) => Promise<Outcome>): Passage<Begun>;
}

/** Begins a list: `steps<Exchange>().prove(checkAddress(parts)).end(answer)`. */
export const steps = <Begun extends Exchange>(): Steps<Begun, Begun> => stepsSoFar([]);

type AnyStep = (facts: never) => unknown;

function stepsSoFar<Begun, Reached extends ProvedFacts>(list: readonly AnyStep[]): Steps<Begun, Reached> {
  return {
    prove: (step) => stepsSoFar([...list, step]),
    check: (step) => stepsSoFar([...list, step]),
    end: (answer) => run([...list, answer]),
    fork: (choose) => run(list, choose),
  };
}

/** Runs the steps, and collects their facts in one object. A step that does not wait costs no turn of the event loop. */
function run<Begun, Reached>(list: readonly AnyStep[], choose?: (reached: Reached) => Promise<Outcome>): Passage<Begun> {
  return async (begun) => {
    const facts = begun as ProvedFacts;
    try {
      for (const step of list) {
        const proved = step(facts as never);
        const fact = proved instanceof Promise ? await proved : proved;
        if (fact) Object.assign(facts, fact);
      }
    } catch (error) {
      return { facts, refusal: { error } };
    }
    return choose ? choose(facts as Reached) : { facts };
  };
}
