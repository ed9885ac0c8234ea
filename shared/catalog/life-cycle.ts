import { Problem } from './problems.ts';

/**
 * One row of a life cycle: a verb, its source states (`null`: the object does not exist yet) and its target states. `events` are names
 * without prefix, in emission order; an empty list means the additional `ext.<object>-changed`. An `again` row is a natural repeat: it
 * changes and emits nothing.
 */
export interface Row<State extends string, Verb extends string> {
  readonly verb: Verb;
  readonly from: readonly (State | null)[];
  /** Empty for an `again` row and for a row that keeps the state. */
  readonly to: readonly State[];
  readonly events: readonly string[];
  readonly again: boolean;
  /** The cause of the move in business terms: an API, elapsed time, an event, the control plane. */
  readonly trigger: string;
}

export interface LifeCycle<State extends string = string, Verb extends string = string> {
  readonly object: string;
  readonly states: readonly State[];
  readonly rows: readonly Row<State, Verb>[];
}

interface RowInput<S extends string, V extends string> {
  readonly verb: V;
  readonly from: readonly (S | null)[];
  /** Omitted: the state stays. */
  readonly to?: S | readonly S[];
  readonly events?: readonly string[];
  readonly again?: true;
  readonly trigger: string;
}

/**
 * Declares the life cycle of a business object. The type of its `state`, its guards, its 409 bodies, its diagram and the state × verb test
 * derive from this table.
 * @throws Error at start when two rows have the same state and verb
 */
export function defineLifeCycle<const S extends string, const V extends string>(input: {
  object: string;
  states: readonly S[];
  rows: readonly RowInput<NoInfer<S>, V>[];
}): LifeCycle<S, V> {
  const seen = new Set<string>();
  const rows = input.rows.map((row): Row<S, V> => {
    for (const from of row.from) {
      const key = `${from ?? '–'} × ${row.verb}`;
      if (seen.has(key)) throw new Error(`Life cycle of ${input.object}: two rows for ${key}.`);
      seen.add(key);
    }
    const to = row.to === undefined ? [] : typeof row.to === 'string' ? [row.to] : row.to;
    return { verb: row.verb, from: row.from, to, events: row.events ?? [], again: row.again === true, trigger: row.trigger };
  });
  return { object: input.object, states: input.states, rows };
}

/** The states that allow a verb, as listed. */
export function allowedFrom<S extends string, V extends string>(lifeCycle: LifeCycle<S, V>, verb: V): readonly S[] {
  return lifeCycle.states.filter((state) => lifeCycle.rows.some((row) => row.verb === verb && row.from.includes(state)));
}

type InState = { readonly id: string; readonly state: string };

/** Members of the context of one refusal, such as `pendingAction`. `allowedFrom` replaces the states that the life cycle gives. */
interface RefusalContext {
  readonly allowedFrom?: readonly string[];
  readonly retryable?: true;
  readonly [member: string]: unknown;
}

/**
 * 409 `invalid_state_transition`, with any reason in `detail`.
 * @param of the life cycle with the action as a verb, or the type of the object. A life cycle gives `allowedFrom`. The current state is in
 * it only if the refusal is retryable: then the action may succeed later. Without a life cycle `allowedFrom` is empty unless `context` has
 * it.
 */
export function refusal(
  of: LifeCycle | string,
  { id, state }: InState,
  action: string,
  detail: string,
  context: RefusalContext = {},
): Problem {
  const allowed = typeof of === 'string' ? [] : allowedFrom(of, action).filter((from) => context.retryable || from !== state);
  const objectType = typeof of === 'string' ? of : of.object;
  const refused = { objectType, id, currentState: state, action, allowedFrom: allowed, ...context };
  return new Problem('invalid_state_transition', detail, refused);
}

/** 409 for a verb that the state does not allow. @throws Error when it does: that refusal needs a reason, see `refusal` */
export function refuseTransition(lifeCycle: LifeCycle, found: InState, verb: string): Problem {
  const allowed = allowedFrom(lifeCycle, verb);
  if (allowed.includes(found.state)) throw new Error(`${lifeCycle.object} × ${verb} in ${found.state} is allowed: state the reason.`);
  const detail = `The ${lifeCycle.object} "${found.id}" is ${found.state}; ${verb} is possible from ${allowed.join(', ') || 'no state'}.`;
  return refusal(lifeCycle, found, verb, detail);
}

/** The row for a verb in a state. @throws Problem `invalid_state_transition` when the table has none */
export function rowFor<S extends string, V extends string>(
  lifeCycle: LifeCycle<S, V>,
  found: { readonly id: string; readonly state: S } | undefined,
  verb: V,
): Row<S, V> {
  const state = found?.state ?? null;
  const row = lifeCycle.rows.find((candidate) => candidate.verb === verb && candidate.from.includes(state));
  if (row) return row;
  if (!found) throw new Error(`Life cycle of ${lifeCycle.object}: ${verb} does not create an object.`);
  throw refuseTransition(lifeCycle, found, verb);
}

/** Whether a verb is a natural repeat: 200, unchanged. @throws Problem `invalid_state_transition` when neither repeat nor move */
export function isAgain<S extends string, V extends string>(
  lifeCycle: LifeCycle<S, V>,
  found: { readonly id: string; readonly state: S },
  verb: V,
): boolean {
  return rowFor(lifeCycle, found, verb).again;
}
