import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { ExpectedStep, SequenceEntry } from '../../shared/catalog/control/operations/sequences.ts';
import { type Breathe, breathing, eachBreathing } from '../../shared/domain/breathe.ts';
import type { Happening } from './timeline.ts';

type Step = z.output<typeof ExpectedStep>;
type Entry = z.output<typeof SequenceEntry>;

interface Matched {
  readonly steps: readonly Entry[];
  /** The first step that nothing matched. */
  readonly mismatch?: { readonly step: number; readonly detail: string; readonly nearest?: Entry };
}

/** Matches each step with the first happening that fits and comes after the match of the previous step. */
export async function matchInOrder(steps: readonly Step[], happenings: readonly Happening[], breathe: Breathe): Promise<Matched> {
  const matched: Happening[] = [];
  let from = 0;
  for await (const [place, step] of breathing(steps.entries(), breathe)) {
    const at = await placeOf(step, happenings, from, breathe);
    if (at === undefined) return { steps: matched.map(entryOf), mismatch: await missing({ place, step, from }, happenings, breathe) };
    matched.push(happenings[at] as Happening);
    from = at + 1;
  }
  return { steps: matched.map(entryOf) };
}

/** The place of the first happening that fits. */
async function placeOf(step: Step, happenings: readonly Happening[], from: number, breathe: Breathe): Promise<number | undefined> {
  for (let at = from; at < happenings.length; at++) {
    const waiting = breathe();
    if (waiting) await waiting;
    if (fits(step, happenings[at] as Happening)) return at;
  }
  return undefined;
}

/** As `matchInOrder`, but refuses other happenings between the steps if a step names their kind. */
export async function matchStrictly(steps: readonly Step[], happenings: readonly Happening[], breathe: Breathe): Promise<Matched> {
  const kinds = new Set<string>(steps.map(({ what }) => what));
  const considered = happenings.filter(({ entry }) => kinds.has(entry.what));
  const [first] = steps as [Step];
  const starts = (await eachBreathing(considered.entries(), breathe, ([at, happening]) => (fits(first, happening) ? [at] : []))).flat();
  if (starts.length === 0) return { steps: [], mismatch: await missing({ place: 0, step: first, from: 0 }, considered, breathe) };
  const lengths = await eachBreathing(starts, breathe, (start) => fittingFrom(start, steps, considered));
  const longest = Math.max(...lengths);
  const start = starts[lengths.indexOf(longest)] ?? 0;
  const matched = considered.slice(start, start + longest).map(entryOf);
  const step = steps[longest];
  if (!step) return { steps: matched };
  const other = considered[start + longest];
  if (other) return { steps: matched, mismatch: instead(longest, step, other) };
  return { steps: matched, mismatch: await missing({ place: longest, step, from: considered.length }, considered, breathe) };
}

function fittingFrom(start: number, steps: readonly Step[], happenings: readonly Happening[]): number {
  const wrong = steps.findIndex((step, place) => {
    const happening = happenings[start + place];
    return !happening || !fits(step, happening);
  });
  return wrong < 0 ? steps.length : wrong;
}

const entryOf = ({ entry }: Happening): Entry => entry;

interface Missing {
  readonly place: number;
  readonly step: Step;
  /** The first place where it could have happened. */
  readonly from: number;
}

async function missing({ place, step, from }: Missing, happenings: readonly Happening[], breathe: Breathe): Promise<Matched['mismatch']> {
  const title = `Step ${place + 1}, ${inWords(step)}`;
  let earlier: Happening | undefined;
  let nearest: { readonly happening: Happening; readonly wrong: readonly string[]; readonly isAfter: boolean } | undefined;
  for await (const [index, happening] of breathing(happenings.entries(), breathe)) {
    const wrong = differences(step, happening);
    if (!wrong) continue;
    const isAfter = index >= from;
    if (wrong.length === 0 && !isAfter) earlier = happening;
    const nearer = nearest ? wrong.length - nearest.wrong.length || Number(nearest.isAfter) - Number(isAfter) : -1;
    if (nearer < 0) nearest = { happening, wrong, isAfter };
  }
  if (earlier) {
    return { step: place + 1, detail: `${title}, happened before step ${place} and not after it.`, nearest: earlier.entry };
  }
  if (!nearest) return { step: place + 1, detail: `${title}, did not happen.` };
  return {
    step: place + 1,
    detail: `${title}, did not happen. The nearest one differs: ${nearest.wrong.join('; ')}.`,
    nearest: nearest.happening.entry,
  };
}

const instead = (place: number, step: Step, { entry }: Happening): Matched['mismatch'] => ({
  step: place + 1,
  detail: `Step ${place + 1}, ${inWords(step)}, does not follow step ${place}. ${entry.what} ${entry.name} follows it.`,
  nearest: entry,
});

function inWords(step: Step): string {
  if (step.what === 'advance') return 'an advance of the clock';
  return `${step.what === 'delivery' ? 'delivery of' : step.what} ${step.name}`;
}

/** Whether both have the same kind and name. A step does not name a clock move. */
const isAlike = (step: Step, { entry }: Happening): boolean =>
  step.what === entry.what && (step.what === 'advance' || step.name === entry.name);

/** The differences between a step and a happening with its kind and name, in words; undefined when kind or name differ. */
function differences(step: Step, happening: Happening): string[] | undefined {
  if (!isAlike(step, happening)) return undefined;
  const { what: _what, request, response, object, ...expected } = { request: undefined, response: undefined, object: undefined, ...step };
  const { entry } = happening;
  const found = entry as Readonly<Record<string, unknown>>;
  return [
    ...Object.entries(expected).flatMap(([name, value]) => differing(name, value, found[name])),
    ...inside('request', request, happening.request),
    ...inside('response', response, happening.response),
    ...inside('object', object, happening.object),
  ];
}

const fits = (step: Step, happening: Happening): boolean => differences(step, happening)?.length === 0;

const differing = (name: string, expected: unknown, found: unknown): string[] =>
  expected === undefined || isDeepStrictEqual(expected, found) ? [] : [`${name} is ${asText(found)}, not ${asText(expected)}`];

/** Objects need the expected members only; lists and other values must be equal, element by element. */
function inside(path: string, expected: unknown, found: unknown): string[] {
  if (expected === undefined) return [];
  if (Array.isArray(expected)) {
    if (!Array.isArray(found)) return differing(path, expected, found);
    if (found.length !== expected.length) return [`${path} has ${found.length} elements, not ${expected.length}`];
    return expected.flatMap((one, place) => inside(`${path}/${place}`, one, found[place]));
  }
  if (typeof expected !== 'object' || expected === null) return differing(path, expected, found);
  if (typeof found !== 'object' || found === null) return differing(path, expected, found);
  return Object.entries(expected).flatMap(([name, value]) =>
    inside(`${path}/${name}`, value, Object.hasOwn(found, name) ? (found as Record<string, unknown>)[name] : undefined),
  );
}

const asText = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value));
