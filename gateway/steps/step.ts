import type { Exchange, Outcome, ProvedFacts } from '../facts.ts';

/** Takes a request through its steps. Never rejects: an error of a step is part of the outcome. */
export type Passage<Begun> = (begun: Begun) => Promise<Outcome>;

/**
 * A list of steps. It compiles only if every step gets the facts that it needs from the steps before it.
 * `Begun` are the facts before the first step, `Reached` the facts after the last one.
 */
export interface Steps<Begun, Reached extends ProvedFacts> {
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

/** Runs the steps. A step that does not wait costs no turn of the event loop. */
function run<Begun, Reached>(list: readonly AnyStep[], choose?: (reached: Reached) => Promise<Outcome>): Passage<Begun> {
  return async (begun) => {
    let facts = begun as ProvedFacts;
    try {
      for (const step of list) {
        const proved = step(facts as never);
        const fact = proved instanceof Promise ? await proved : proved;
        if (fact) facts = { ...facts, ...fact };
      }
    } catch (error) {
      return { facts, refusal: { error } };
    }
    return choose ? choose(facts as Reached) : { facts };
  };
}
