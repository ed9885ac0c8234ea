import type { z } from 'zod';
import type { Explanation } from '../../shared/catalog/control/operations/explanations.ts';
import type { Row } from '../../shared/catalog/life-cycle.ts';
import { obstacleOf } from '../../shared/catalog/obstacles.ts';
import { apiOfVerb, operationOfVerb } from '../../shared/catalog/verb-apis.ts';
import type { ActiveFault } from '../../shared/control/faults.ts';
import { playedBy } from '../objects/played.ts';
import { failsCalls, refusesAll, strikesCall } from './faults.ts';
import type { Obstacles } from './hidden-obstacles.ts';
import type { Subject } from './subject.ts';
import type { Wait } from './waits.ts';
import { callTitle, listed, sentence } from './words.ts';

type Move = z.output<typeof Explanation>['moves'][number];
type AnyRow = Row<string, string>;

/** What decides about a verb in addition to the object and its life cycle. */
interface Around {
  readonly faults: readonly ActiveFault[];
  readonly hidden: Obstacles;
  readonly waits: readonly Wait[];
}

/** The verbs that callers can make an existing object take, and the verbs of the estate from its present state. Possible ones come first. */
export function movesOf(subject: Subject, around: Around): Move[] {
  const { of, state } = subject;
  if (!of.definition.lifeCycle || state === undefined) return [];
  const rows = of.definition.lifeCycle.rows.filter(({ from }) => from.some((before) => before !== null));
  const moves = [...Map.groupBy(rows, ({ verb }) => verb)].flatMap(([verb, same]) => moveOf(subject, { verb, rows: same, state }, around));
  return moves.toSorted((one, other) => Number(other.possible) - Number(one.possible));
}

interface Verb {
  readonly verb: string;
  readonly rows: readonly AnyRow[];
  readonly state: string;
}

function moveOf(subject: Subject, { verb, rows, state }: Verb, around: Around): Move[] {
  const { type } = subject;
  const call = callOf(type, verb);
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
  return [
    { ...move, ...(refusalOf(subject, { verb, rows, state }, { row, call, around }) ?? { possible: true, ...hindranceOf(call, around) }) },
  ];
}

type Call = Pick<Move, 'by' | 'call'>;
type Refusal = Pick<Move, 'possible' | 'code' | 'why' | 'refs'>;

function refusalOf(
  { type, object, near }: Subject,
  { verb, rows, state }: Verb,
  { row, call, around }: { readonly row: AnyRow | undefined; readonly call: Call; readonly around: Around },
): Refusal | undefined {
  const obstacle = obstacleOf(type, verb, object, near) ?? (row ? around.hidden[verb] : undefined);
  if (!row && !obstacle?.isLasting) {
    const isRepeat = rows.some(({ again, from }) => again && from.includes(state));
    if (isRepeat) return { possible: false, code: 'repeat', why: 'It is already done: a repeat changes nothing.', refs: [] };
    const from = rows.filter(({ again }) => !again).flatMap((one) => one.from.filter((before) => before !== null));
    const why = `It is ${state}; ${verb} is possible only from ${listed([...new Set(from)], 'or')}.`;
    return { possible: false, code: 'life-cycle', why, refs: [] };
  }
  if (obstacle) {
    const refs = (obstacle.refs ?? []).map((one) => ({ what: 'object' as const, ...one }));
    return { possible: false, code: obstacle.code, why: obstacle.text, refs };
  }
  const striking = call.by === 'api' ? around.faults.find((fault) => refusesAll(fault) && strikesCall(fault, call.call ?? '')) : undefined;
  if (!striking) return undefined;
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
