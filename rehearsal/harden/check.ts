import type { Difference } from './run.ts';

/** What the user's system holds to be true after a story, from the text of its check. */
export type Check = string;

const MOST_DIFFERENCES = 50;
const LONGEST_VALUE = 500;

/** Ids of the estate derive from random keys of a client, so they differ between tries. */
const ID = /\b([a-z]{3})_[0-9A-HJKMNP-TV-Z]{26}\b/g;
const INSTANT = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})/g;
const DATE = /\b\d{4}-\d{2}-\d{2}\b(?!T)/g;
const DAY_MS = 86_400_000;

export interface CheckedStory {
  readonly text: Check;
  /** The rehearsal of the story: its name may stand in the check. */
  readonly rehearsal: string;
  /** Start of the clock. Instants of two stories with different starts are compared by their distance to it. */
  readonly startsAt: string;
}

/** The members or lines that differ between two checks. Ids, the name of the rehearsal and the start of the story do not count. */
export function compareChecks(baseline: CheckedStory, tried: CheckedStory): readonly Difference[] {
  const [before, after] = [
    comparable(baseline, baseline.startsAt !== tried.startsAt),
    comparable(tried, baseline.startsAt !== tried.startsAt),
  ];
  if (before === after) return [];
  const [one, other] = [parsed(before), parsed(after)];
  const found: Difference[] = [];
  if (one !== undefined && other !== undefined) compareValues('', one, other, found);
  else compareLines(before, after, found);
  return found;
}

function comparable({ text, rehearsal, startsAt }: CheckedStory, isMoved: boolean): string {
  const plain = text.replaceAll('\r\n', '\n').trimEnd().replaceAll(ID, '$1_…').replaceAll(rehearsal, '{rehearsal}');
  if (!isMoved) return plain;
  const start = Date.parse(startsAt);
  const day = Math.floor(start / DAY_MS);
  return plain
    .replaceAll(INSTANT, (instant) => `start + ${Date.parse(instant) - start} ms`)
    .replaceAll(DATE, (date) => `start + ${Math.floor(Date.parse(date) / DAY_MS) - day} days`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function compareValues(path: string, one: unknown, other: unknown, found: Difference[]): void {
  if (found.length >= MOST_DIFFERENCES || JSON.stringify(one) === JSON.stringify(other)) return;
  const members =
    isObject(one) && isObject(other)
      ? [...new Set([...Object.keys(one), ...Object.keys(other)])]
      : Array.isArray(one) && Array.isArray(other)
        ? Array.from({ length: Math.max(one.length, other.length) }, (_, index) => String(index))
        : undefined;
  if (members === undefined) return void found.push({ what: `check: ${path || 'value'}`, baseline: shown(one), tried: shown(other) });
  for (const member of members) {
    const [before, after] = [one, other].map((value) => (value as Readonly<Record<string, unknown>>)[member]);
    compareValues(path === '' ? member : `${path}.${member}`, before, after, found);
  }
}

function compareLines(one: string, other: string, found: Difference[]): void {
  const [before, after] = [one.split('\n'), other.split('\n')];
  for (let line = 0; line < Math.max(before.length, after.length) && found.length < MOST_DIFFERENCES; line++)
    if (before[line] !== after[line])
      found.push({ what: `check: line ${line + 1}`, baseline: shown(before[line]), tried: shown(after[line]) });
}

const shown = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
};

/** The numbers and texts that a check shows. */
export function valuesIn(text: string): ReadonlySet<string> {
  const values = new Set<string>();
  const json = parsed(text);
  if (json !== undefined) collect(json, values);
  else for (const word of text.split(/[^\w.-]+/)) values.add(word);
  return values;
}

function collect(value: unknown, values: Set<string>): void {
  if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) collect(member, values);
  else values.add(String(value));
}
