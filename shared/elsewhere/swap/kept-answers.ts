import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { KeptAnswer, KeptAnswers } from '../../catalog/swap.ts';
import { type Breathe, breathing } from '../../domain/breathe.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { instant, type Ms } from '../../domain/time.ts';
import { mapTexts, textsIn } from './json-texts.ts';

type Kept = z.output<typeof KeptAnswer>;

/** A call of a real system with its answer, as a world records it. */
export interface RecordedAnswer {
  readonly api: string;
  readonly request: Kept['request'];
  readonly status: number;
  readonly answer: unknown;
  /** The rehearsal's clock. */
  readonly now: Ms;
}

/** An id that the estate made. It differs in the next rehearsal. */
const ESTATE_ID = /^[a-z]{2,8}_[0-9A-HJKMNP-TV-Z]{26}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const PLACE = /^\{(id \d+)\}$/;
/** `{now+60000}`, or `{time 1, now+60000}` for an instant that several answers have. */
const TIME = /^\{(?:(time \d+), )?now([+-]\d+)?\}$/;

/**
 * The answers as files keep them, by operation. `{id 1}` replaces the first id that the estate made; ids of the real system stay.
 * `{now+60000}` is an instant, in milliseconds from the rehearsal's clock. An instant in several answers, such as the creation of an
 * object, has a number, too: `{time 1, now+60000}`.
 */
export async function keptAnswers(recorded: readonly RecordedAnswer[], breathe: Breathe): Promise<KeptAnswers> {
  const theirs = new Set<string>();
  const places = new Map<string, string>();
  const times = await timesOfSeveral(recorded, breathe);
  const byApi: Record<string, Kept[]> = {};
  for await (const { api, request, status, answer, now } of breathing(recorded, breathe)) {
    for (const text of textsIn(request)) {
      if (ESTATE_ID.test(text) && !theirs.has(text) && !places.has(text)) places.set(text, `{id ${places.size + 1}}`);
    }
    for (const text of textsIn(answer)) if (!places.has(text)) theirs.add(text);
    const named = (value: unknown, known?: Times): unknown =>
      mapTexts(value, (text) => places.get(text) ?? momentOf(text, now, known?.get(Date.parse(text))));
    byApi[api] ??= [];
    byApi[api].push({ request: named(request) as Kept['request'], status, answer: named(answer, times) });
  }
  return byApi;
}

/** Names of instants. */
type Times = ReadonlyMap<Ms, string>;

/** Numbers the instants that several answers have. */
async function timesOfSeveral(recorded: readonly RecordedAnswer[], breathe: Breathe): Promise<Times> {
  const counts = new Map<Ms, number>();
  for await (const { answer } of breathing(recorded, breathe)) {
    const instants = [...textsIn(answer)].filter((text) => INSTANT.test(text)).map((text) => Date.parse(text));
    for (const at of new Set(instants)) counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  const several = [...counts].filter(([, count]) => count > 1);
  return new Map(several.map(([at], index) => [at, `time ${index + 1}`]));
}

/** Ids and instants of this rehearsal, by their places in the kept answers. */
type Bound = Readonly<Record<string, string>>;

type Match =
  | { readonly is: 'kept'; readonly status: number; readonly answer: unknown; readonly bound: Bound }
  | { readonly is: 'unknown'; readonly nearest: string | undefined };

interface SoughtAnswer {
  readonly request: Kept['request'];
  readonly now: Ms;
  /** The ids and instants of earlier requests. */
  readonly bound: Bound;
  /** The number of earlier requests that were the same. */
  readonly earlier: number;
  /** Whether an answer may be given several times, and to requests about other objects. */
  readonly mayRepeat: (answer: Pick<Kept, 'status' | 'answer'>) => boolean;
}

/** A request without its instants, which differ between equal requests. */
export const withoutInstants = (request: Kept['request']): unknown => mapTexts(request, (text) => (INSTANT.test(text) ? '{now}' : text));

/**
 * Finds the answer to a request. Answers whose ids belong to the same objects are chosen first. The n-th equal request gets the n-th
 * answer, and further ones get the last if it may repeat.
 */
export function findKept(kept: readonly Kept[], { request, now, bound, earlier, mayRepeat }: SoughtAnswer): Match {
  const known = new Set(kept.flatMap((one) => [...textsIn(one.request)]));
  const isOurs = (text: string): boolean => ESTATE_ID.test(text) && !known.has(text);
  const sent = mapTexts(withoutAbsent(request), (text) => momentOf(text, now));
  const shape = shapeOf(sent, isOurs);
  const fitting = kept.filter((one) => shapeOf(withoutAbsent(one.request), (text) => PLACE.test(text)) === shape);
  const ids = [...new Set([...textsIn(sent)].filter(isOurs))];
  const taken = new Set(Object.values(bound));
  const bindingsOf = (one: Kept): Bound => {
    const places = [...new Set([...textsIn(withoutAbsent(one.request))].filter((text) => PLACE.test(text)))];
    return Object.fromEntries(places.map((place, index) => [place, ids[index] ?? place]));
  };
  const isSame = (one: Kept): boolean =>
    Object.entries(bindingsOf(one)).every(([place, id]) => (bound[place] === undefined ? !taken.has(id) : bound[place] === id));
  const consistent = fitting.filter(isSame);
  const others = consistent.length > 0 ? consistent : fitting.filter(mayRepeat);
  const chosen = consistent[earlier] ?? [others.at(Math.min(earlier, others.length - 1))].find((one) => one && mayRepeat(one));
  if (!chosen) {
    const nearestFit = fitting.at(-1);
    const shown = mapTexts(sent, (text) => (isOurs(text) ? '{id}' : text));
    return { is: 'unknown', nearest: nearestFit === undefined ? nearestOf(kept, shown) : givenOnce(kept.indexOf(nearestFit) + 1) };
  }
  const own: Record<string, string> = { ...bound, ...bindingsOf(chosen) };
  const answer = mapTexts(chosen.answer, (text) => {
    const [, time] = TIME.exec(text) ?? [];
    if (time === undefined) return own[text] ?? instantOf(text, now);
    own[time] ??= instantOf(text, now);
    return own[time];
  });
  return { is: 'kept', status: chosen.status, answer, bound: consistent.length > 0 ? own : bound };
}

const givenOnce = (number: number): string =>
  `The nearest is call ${number} of its file, which fits. An answer about a changed object is given once, for one object: record another one.`;

/** A key of a request: its ids of the estate and its instants are replaced. */
function shapeOf(request: unknown, isId: (text: string) => boolean): string {
  const numbers = new Map<string, string>();
  const numbered = (text: string): string => {
    numbers.set(text, numbers.get(text) ?? `{${numbers.size}}`);
    return numbers.get(text) ?? text;
  };
  return canonicalJson(mapTexts(request, (text) => (isId(text) ? numbered(text) : TIME.test(text) ? '{now}' : text)));
}

/** A sentence about the most similar request; undefined when no call of the operation is kept. */
function nearestOf(kept: readonly Kept[], sent: unknown): string | undefined {
  const leaves = leavesOf(sent);
  const ranked = kept
    .map(({ request }) => {
      const theirs = leavesOf(mapTexts(withoutAbsent(request), (text) => (PLACE.test(text) ? '{id}' : text)));
      return [...new Set([...leaves.keys(), ...theirs.keys()])]
        .filter((path) => leaves.get(path) !== theirs.get(path))
        .map((path) => ({
          path,
          theirs: theirs.get(path) ?? 'nothing',
          ours: leaves.get(path) ?? 'nothing',
        }));
    })
    .toSorted((one, other) => one.length - other.length);
  const [first] = ranked[0] ?? [];
  return first && `The nearest differs at ${first.path}: it has ${first.theirs}, and the request ${first.ours}.`;
}

function leavesOf(value: unknown, path = ''): Map<string, string> {
  if (typeof value !== 'object' || value === null) return new Map([[path, JSON.stringify(value) ?? 'nothing']]);
  return new Map(Object.entries(value).flatMap(([name, inner]) => [...leavesOf(inner, `${path}/${name}`)]));
}

function momentOf(text: string, now: Ms, name?: string): string {
  if (!INSTANT.test(text)) return text;
  const distance = Date.parse(text) - now;
  const shown = distance === 0 ? 'now' : `now${distance > 0 ? '+' : ''}${distance}`;
  return name === undefined ? `{${shown}}` : `{${name}, ${shown}}`;
}

function instantOf(text: string, now: Ms): string {
  const [all, , distance = '0'] = TIME.exec(text) ?? [];
  return all === undefined ? text : instant(now + Number(distance));
}

/** Empty parts of a request count as absent ones. */
function withoutAbsent(request: unknown): unknown {
  const parts = Object.entries(request as Kept['request']).filter(([, part]) => part !== undefined && !isDeepStrictEqual(part, {}));
  return JSON.parse(JSON.stringify(Object.fromEntries(parts)));
}
