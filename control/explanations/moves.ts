import type { z } from 'zod';
import { apis } from '../../shared/catalog/apis.ts';
import type { Explanation } from '../../shared/catalog/control/operations/explanations.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import type { Row } from '../../shared/catalog/life-cycle.ts';
import { absentApplication, asProblem } from '../../shared/catalog/problems.ts';
import { apiOfVerb, operationOfVerb } from '../../shared/catalog/verb-apis.ts';
import type { ActiveFault } from '../../shared/control/faults.ts';
import { playedBy } from '../objects/played.ts';
import type { PossibleCall } from '../outside-call.ts';
import { failsCalls, refusesAll, strikesCall } from './faults.ts';
import { findById } from './find.ts';
import type { ExplainScope, Subject } from './subject.ts';
import { attemptsAt, otherSteps } from './trials.ts';
import type { Wait } from './waits.ts';
import { callTitle, listed, sentence } from './words.ts';

type Move = z.output<typeof Explanation>['moves'][number];
type Step = z.output<typeof Explanation>['steps'][number];
type AnyRow = Row<string, string>;

/** What decides about a verb in addition to the object and its life cycle. */
interface Around {
  readonly faults: readonly ActiveFault[];
  readonly waits: readonly Wait[];
}

/** The verbs that callers can make an existing object take, and the verbs of the estate from its present state. Possible ones come first. */
export async function movesOf(scope: ExplainScope, subject: Subject, around: Around): Promise<Move[]> {
  const { of, state } = subject;
  if (!of.definition.lifeCycle || state === undefined) return [];
  const rows = of.definition.lifeCycle.rows.filter(({ from }) => from.some((before) => before !== null));
  const verbs = [...Map.groupBy(rows, ({ verb }) => verb)];
  const moves = await Promise.all(verbs.map(([verb, same]) => moveOf(scope, subject, { verb, rows: same, state }, around)));
  return moves.flat().toSorted((one, other) => Number(other.possible) - Number(one.possible));
}

/** What else a client can do with the object, without moving it. */
export const otherStepsOf = (scope: ExplainScope, subject: Subject): Promise<Step[]> =>
  Promise.all(
    otherSteps(subject.type).map(async ({ step, call: id, with: other }) => {
      const call: Call = { by: Object.hasOwn(apis, id) ? 'api' : 'control', call: id };
      const verdict = await verdictOf(scope, subject, step, call);
      if (!verdict.possible || other === undefined) return { step, ...call, ...verdict };
      const { input: _ofOther, ...further } = await verdictOf(scope, subject, other, call);
      return { step, ...call, input: verdict.input, ...further };
    }),
  );

interface Verb {
  readonly verb: string;
  readonly rows: readonly AnyRow[];
  readonly state: string;
}

async function moveOf(scope: ExplainScope, subject: Subject, { verb, rows, state }: Verb, around: Around): Promise<Move[]> {
  const call = callOf(subject.type, verb);
  const moving = rows.filter(({ again }) => !again);
  if (moving.length === 0) return [];
  const row = moving.find(({ from }) => from.includes(state));
  const after = row ? [row] : moving;
  const to = [...new Set(after.flatMap((one) => (one.to.length > 0 ? one.to : one.from.filter((before) => before !== null))))];
  if (!call) {
    const changesState = row !== undefined && row.to.length > 0;
    const why = `${sentence(row?.trigger ?? '')}.`;
    return changesState ? [{ verb, to: [...row.to], by: 'estate', possible: false, code: 'by-the-estate', why, refs: [] }] : [];
  }
  const move = { verb, to: row && row.to.length === 0 ? [state] : to, ...call };
  if (rows.every(({ from }) => !from.includes(state))) return [{ ...move, ...refusedByLifeCycle(verb, moving, state) }];
  const verdict = await verdictOf(scope, subject, verb, call);
  return [{ ...move, ...verdict, ...(verdict.possible && withFaults(call, around)) }];
}

type Call = Pick<Move, 'by' | 'call'>;
type Verdict = Pick<Move, 'possible' | 'code' | 'why' | 'refs' | 'input'>;

const POSSIBLE: Verdict = { possible: true, refs: [] };

function refusedByLifeCycle(verb: string, rows: readonly AnyRow[], state: string): Verdict {
  const from = rows.flatMap((row) => row.from.filter((before) => before !== null));
  const why = `It is ${state}; ${verb} is possible only from ${listed([...new Set(from)], 'or')}.`;
  return { possible: false, code: 'life-cycle', why, refs: [] };
}

/** The verdict of the application about a step: it makes the calls as dry runs. The first possible call decides, or the first refusal. */
async function verdictOf(scope: ExplainScope, subject: Subject, step: string, { call: id = '' }: Call): Promise<Verdict> {
  const attempts = (await attemptsAt(scope, subject, step)) ?? [];
  if (typeof attempts === 'string') return { possible: false, code: 'rule', why: attempts, refs: [] };
  let first: Verdict | undefined;
  for (const call of attempts) {
    const verdict = { ...(await dryRun(scope, subject, call)), input: inputOf(id, call) };
    if (verdict.possible) return verdict;
    first ??= verdict;
  }
  return first ?? POSSIBLE;
}

/** The input of the API, or of the operation that plays the call: its path may have members of the body, such as the verb. */
function inputOf(id: string, { api, params, body }: PossibleCall): Move['input'] {
  const { path } = (controlOperations as Readonly<Record<string, { readonly path: string }>>)[id] ?? api;
  // The body as it is sent has no undefined members.
  const given = JSON.parse(JSON.stringify({ ...params, ...(body as object | undefined) })) as Readonly<Record<string, unknown>>;
  const isParameter = ([name]: readonly [string, unknown]): boolean => path.includes(`{${name}}`);
  const parameters = Object.entries(given).filter(isParameter);
  return {
    params: Object.fromEntries(parameters.map(([name, value]) => [name, String(value)])),
    body: Object.fromEntries(Object.entries(given).filter((one) => !isParameter(one))),
  };
}

async function dryRun(scope: ExplainScope, subject: Subject, call: PossibleCall): Promise<Verdict> {
  try {
    const { unchanged, answer } = await scope.callDry(scope.view, call);
    const { id = subject.id } = (answer ?? {}) as { readonly id?: string };
    if (call.answersItself && id !== subject.id) {
      const refs = await objectsNamed(scope, [id]);
      return { possible: false, code: 'other-object', why: `${call.api.name} changes another object: ${id}.`, refs };
    }
    return unchanged ? { possible: false, code: 'repeat', why: 'It is already done: a repeat changes nothing.', refs: [] } : POSSIBLE;
  } catch (error) {
    const problem = asProblem(error);
    // The real system decides.
    if (problem.code === 'swapped') return POSSIBLE;
    const named = JSON.stringify(problem.body('')).match(ID) ?? [];
    const refs = await objectsNamed(
      scope,
      named.filter((id) => id !== subject.id),
    );
    const isAway = absentApplication(problem) !== undefined;
    const code = isAway ? 'unavailable' : refs.length > 0 ? 'other-object' : 'rule';
    return { possible: false, code, why: problem.message, refs };
  }
}

/** Limit of the objects that a refusal names. */
const MOST_NAMED = 10;
const ID = /\b[a-z]{3}_\w{1,40}\b/g;

async function objectsNamed(scope: ExplainScope, ids: readonly string[]): Promise<Move['refs']> {
  const found = await Promise.all([...new Set(ids)].slice(0, MOST_NAMED).map((id) => findById(scope, id)));
  return found.flatMap((one) => (one ? [{ what: 'object' as const, type: one.type.definition.type, id: one.found.id }] : []));
}

/** A fault that refuses every call, or that can strike it or a call that it makes. */
function withFaults(call: Call, around: Around): Verdict {
  const striking = call.by === 'api' ? around.faults.find((fault) => refusesAll(fault) && strikesCall(fault, call.call ?? '')) : undefined;
  if (!striking) return { possible: true, ...hindranceOf(call, around) };
  const why = `The fault ${striking.name} (${striking.fault.kind}) strikes ${callTitle(call.call ?? '')}.`;
  return { possible: false, code: 'fault', why, refs: [{ what: 'fault', id: striking.name }] };
}

/** A fault that can fail the call, or a call that it makes. */
function hindranceOf({ by, call }: Call, { faults, waits }: Around): Pick<Move, 'code' | 'why' | 'refs'> {
  if (by !== 'api' || call === undefined) return { refs: [] };
  const needs: readonly string[] = waits.find((wait) => wait.needs?.[0] === call)?.needs ?? [call];
  for (const fault of faults.filter(failsCalls)) {
    const struck = needs.filter((need) => strikesCall(fault, need));
    if (struck.length === 0) continue;
    const why = `The fault ${fault.name} (${fault.fault.kind}) can strike ${listed(struck.map(callTitle))}.`;
    return { code: 'fault', why, refs: [{ what: 'fault', id: fault.name }, ...struck.map((id) => ({ what: 'api' as const, id }))] };
  }
  return { refs: [] };
}

/** The API, or the operation that plays the outside world. Undefined: only the estate makes the verb. */
function callOf(type: string, verb: string): Call | undefined {
  const api = apiOfVerb(type, verb);
  if (api !== undefined) return { by: 'api', call: api };
  const played = playedBy(type, verb) ?? operationOfVerb(type, verb);
  return played === undefined ? undefined : { by: 'control', call: played };
}
