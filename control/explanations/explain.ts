import { progressionOf } from '../../shared/catalog/control/progression.ts';
import type { ActiveFault } from '../../shared/control/faults.ts';
import type { Ms } from '../../shared/domain/time.ts';
import type { Found } from '../../shared/store/ports/objects.ts';
import type { ListedType } from '../objects/types.ts';
import { listedTypes } from '../objects/types.ts';
import { type Arrival, arrivalOf } from './cause.ts';
import { activeFaults, newsStruckBy, strikesCall } from './faults.ts';
import { movesOf, otherStepsOf } from './moves.ts';
import type { Explained, Reason } from './reasons.ts';
import { type ExplainScope, readSubject, type Subject } from './subject.ts';
import { timersOf } from './timers.ts';
import { troublesOf } from './troubles.ts';
import { causesOf, type Wait, waitsOf } from './waits.ts';
import { callTitle, clockTime, listed, sentence } from './words.ts';

/** Maximum number of objects that an answer explains in addition to the requested one. */
const MOST_NESTED = 10;
/** An order waits for a fulfillment order, which waits for a parcel. */
const MOST_STEPS = 2;
/** Limit of open work, per kind, that is searched for the object. */
const MOST_OPEN = 1_000;

/** Explains an object, and in brief the objects that it waits for. */
export async function explain(scope: ExplainScope, type: ListedType, found: Found): Promise<Explained> {
  const faults = await activeFaults(scope);
  const subject = await readSubject(scope, type, found);
  const brief = await explainBriefly(scope, subject, { faults, isNested: false });
  const [moves, steps, nested] = await Promise.all([
    movesOf(scope, subject, { faults, waits: waitsIn(scope, subject) }),
    otherStepsOf(scope, subject),
    awaitedBy(scope, brief, faults),
  ]);
  const text = [brief.text, ...nested.map((one) => one.text), possibleNow(moves)].filter((part) => part !== '').join(' ');
  return { ...brief, text, moves, steps, waitsFor: nested };
}

/** Explains the objects that the first one waits for, and then the objects that they wait for. */
async function awaitedBy(scope: ExplainScope, first: Brief, faults: readonly ActiveFault[]): Promise<Brief[]> {
  const all: Brief[] = [];
  let latest: readonly Brief[] = [first];
  for (let step = 0; step < MOST_STEPS && latest.length > 0; step += 1) {
    const known = new Set([first, ...all].map(({ type, id }) => `${type}/${id}`));
    const refs = latest.flatMap(({ reasons }) => reasons.flatMap((reason) => (reason.code === 'waits-for-object' ? reason.refs : [])));
    const fresh = new Map(refs.map(({ type = '', id }) => [`${type}/${id}`, { type, id }]));
    for (const key of known) fresh.delete(key);
    const found = await Promise.all(
      [...fresh.values()].slice(0, MOST_NESTED - all.length).map(async ({ type, id }) => {
        const of = listedTypes(scope.objects).find(({ definition }) => definition.type === type);
        const other = of && (await scope.worlds.object(scope.view.world, of.application, of.collection, id));
        return of && other ? explainBriefly(scope, await readSubject(scope, of, other), { faults, isNested: true }) : undefined;
      }),
    );
    latest = found.filter((one) => one !== undefined);
    all.push(...latest);
  }
  return all;
}

const ENDED: Reason = { code: 'ended', kind: 'cause', text: 'This state is final.', refs: [] };
const NOTHING: Reason = { code: 'waits-for-nothing', kind: 'wait', text: 'It waits for nothing.', refs: [] };

type Brief = Omit<Explained, 'moves' | 'steps' | 'waitsFor'>;

interface BriefOptions {
  readonly faults: readonly ActiveFault[];
  /** A nested explanation leaves out what began the trace: usually it is the same. */
  readonly isNested: boolean;
}

async function explainBriefly(scope: ExplainScope, subject: Subject, { faults, isNested }: BriefOptions): Promise<Brief> {
  const { worlds, view } = scope;
  const { type, id, name, state, object, of } = subject;
  const ledger = await worlds.ledger(view.world, MOST_OPEN);
  const arrival = state === undefined ? undefined : await arrivalOf(scope, subject, ledger.withheld);
  const waits = waitsIn(scope, subject);
  const leads = of.definition.lifeCycle?.rows.some((row) => !row.again && row.from.includes(state ?? null) && row.to.length > 0);
  const isFinal = state !== undefined && leads !== true;
  const reasons: Reason[] = [
    ...causesOf(type, object, subject.near).map((one): Reason => ({ ...one, kind: 'cause', refs: [] })),
    ...(isFinal ? [ENDED] : []),
    ...waits.map(reasonOf),
    ...(await timersOf(scope, subject)),
    ...(await troublesOf(scope, subject, ledger)),
    ...statusesOf(object),
  ];
  const named = new Set(reasons.flatMap(({ refs }) => refs.flatMap((ref) => (ref.what === 'fault' ? [ref.id] : []))));
  const others = faults.filter((fault) => !named.has(fault.name));
  reasons.push(...faultReasons(subject, waits, others));
  if (state !== undefined && !isFinal && !reasons.some(({ kind }) => kind === 'wait')) reasons.unshift(NOTHING);
  const head = headOf(subject, view.now, arrival && { ...arrival, begun: isNested ? undefined : arrival.begun });
  const text = [head, ...reasons.map((reason) => reason.text)].join(' ');
  return { type, id, name: sentence(name), state, since: arrival?.since, isFinal, cause: arrival?.cause, head, reasons, text };
}

const waitsIn = ({ view }: ExplainScope, { type, object, near, nameOf, location, sale }: Subject): readonly Wait[] =>
  waitsOf(type, object, { near, nameOf, location, sale, progression: progressionOf(view) });

function headOf({ name, state }: Subject, now: Ms, arrival: Pick<Arrival, 'since' | 'words' | 'begun'> | undefined): string {
  if (state === undefined || !arrival) return `${sentence(name)} has no life cycle.`;
  const { words, begun } = arrival;
  const reached = arrival.since === undefined ? `is ${state}` : `has been ${state} since ${clockTime(arrival.since, now)}`;
  return `${sentence(name)} ${reached}${words === '' ? '' : `, ${words}`}${begun === undefined ? '' : `, after ${begun}`}.`;
}

const reasonOf = ({ code, text, about = [], manual }: Wait): Reason => ({
  code,
  manual,
  kind: 'wait',
  text: `It waits for ${text}.`,
  refs: about.map((one) => ({ what: 'object', ...one })),
});

/** Unfinished work at other applications, as the members of an object show it. */
function statusesOf({ captureStatus, compensation, routingStatus, labelStatus }: Subject['object']): Reason[] {
  const trouble = (code: 'retrying' | 'undoing' | 'failed', text: string): Reason => ({ code, kind: 'trouble', text, refs: [] });
  return [
    ...(captureStatus === 'retrying' ? [trouble('retrying', 'A capture of its payments failed and is retried.')] : []),
    ...(routingStatus === 'retrying' ? [trouble('retrying', 'The creation of its fulfillment orders is retried.')] : []),
    ...(compensation === 'pending' ? [trouble('undoing', 'Its effects at other applications are still being undone.')] : []),
    ...(labelStatus === 'failed' ? [trouble('failed', 'The carrier failed to make its label.')] : []),
  ];
}

/** The faults that strike a call that the next step needs, or the news about the object. */
function faultReasons(subject: Subject, waits: readonly Wait[], faults: readonly ActiveFault[]): Reason[] {
  const needs = [...new Set(waits.flatMap((wait) => wait.needs ?? []))];
  return faults.flatMap((fault): Reason[] => {
    const { name, fault: how } = fault;
    const struck = needs.filter((call) => strikesCall(fault, call));
    const refs: Reason['refs'] = [{ what: 'fault', id: name }, ...struck.map((call) => ({ what: 'api' as const, id: call }))];
    if (struck.length > 0) {
      const text = `The fault ${name} (${how.kind}) strikes ${listed(struck.map(callTitle))}, which the next step needs.`;
      return [{ code: 'fault-strikes', kind: 'trouble', text, refs }];
    }
    const news = newsStruckBy(fault, subject);
    if (news === undefined) return [];
    return [{ code: 'fault-strikes', kind: 'trouble', text: `The fault ${name} (${how.kind}) strikes its ${news}.`, refs }];
  });
}

function possibleNow(moves: Explained['moves']): string {
  const possible = moves.filter((move) => move.possible);
  const calls = [...new Set(possible.flatMap(({ by, call = '' }) => (by === 'api' ? [callTitle(call)] : [])))];
  const played = possible.flatMap(({ by, verb }) => (by === 'control' && verb !== 'change' ? [verb] : []));
  const clients = calls.length > 0 ? [`Possible now: ${listed(calls, 'or')}.`] : [];
  const others = played.length > 0 ? [`Possible for the outside world: ${listed(played, 'or')}.`] : [];
  return [...clients, ...others].join(' ');
}
