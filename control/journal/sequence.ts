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
    const at = happenings.findIndex((happening, index) => index >= from && fits(step, happening));
    if (at < 0) return { steps: matched.map(entryOf), mismatch: missing(place, step, happenings, from) };
    matched.push(happenings[at] as Happening);
    from = at + 1;
  }
  return { steps: matched.map(entryOf) };
}

/** As `matchInOrder`, but refuses other happenings between the steps if a step names their kind. */
export async function matchStrictly(steps: readonly Step[], happenings: readonly Happening[], breathe: Breathe): Promise<Matched> {
  const kinds = new Set<string>(steps.map(({ what }) => what));
  const considered = happenings.filter(({ entry }) => kinds.has(entry.what));
  const [first] = steps as [Step];
  const starts = considered.flatMap((happening, at) => (fits(first, happening) ? [at] : []));
  if (starts.length === 0) return { steps: [], mismatch: missing(0, first, considered, 0) };
  const lengths = await eachBreathing(starts, breathe, (start) => fittingFrom(start, steps, considered));
  const longest = Math.max(...lengths);
  const start = starts[lengths.indexOf(longest)] ?? 0;
  const matched = considered.slice(start, start + longest).map(entryOf);
  const step = steps[longest];
  if (!step) return { steps: matched };
  const other = considered[start + longest];
  return { steps: matched, mismatch: other ? instead(longest, step, other) : missing(longest, step, considered, considered.length) };
}

function fittingFrom(start: number, steps: readonly Step[], happenings: readonly Happening[]): number {
  const wrong = steps.findIndex((step, place) => {
    const happening = happenings[start + place];
    return !happening || !fits(step, happening);
  });
  return wrong < 0 ? steps.length : wrong;
}

const entryOf = ({ entry }: Happening): Entry => entry;

function missing(place: number, step: Step, happenings: readonly Happening[], from: number): Matched['mismatch'] {
  const title = `Step ${place + 1}, ${inWords(step)}`;
  const earlier = happenings.findLast((happening, index) => index < from && fits(step, happening));
  if (earlier) {
    return { step: place + 1, detail: `${title}, happened before step ${place} and not after it.`, nearest: earlier.entry };
  }
  const alike = happenings
    .flatMap((happening, index) => {
      const wrong = differences(step, happening);
      return wrong ? [{ happening, index, wrong }] : [];
    })
    .toSorted((one, other) => one.wrong.length - other.wrong.length || Number(other.index >= from) - Number(one.index >= from));
  const [nearest] = alike;
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
