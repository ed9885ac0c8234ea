import { parse } from 'yaml';
import { z } from 'zod';
import { Currency } from '../../shared/catalog/currency.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { IN_WORDS, mistakesIn } from '../../shared/contract/issue-words.ts';
import { answeredBy } from '../../shared/contract/openapi/application-contract.ts';
import type { Suite } from '../../shared/contract/suites/suite.ts';
import { errorMessage } from '../../shared/domain/text.ts';
import { readWithin } from '../../shared/process/bounded-file.ts';
import { misuse } from '../failure.ts';

/** What a system has in place of the data of the estate, and what it lacks. */
interface Mapping {
  readonly currency: string;
  /** By name; null: the system has none. */
  readonly ids: Readonly<Record<string, string | null>>;
  /** By type of object. */
  readonly states: Readonly<Record<string, readonly string[]>>;
  readonly lacks: ReadonlySet<string>;
  /** `none`: the estate sends it no events. */
  readonly events: 'post' | 'none';
}

/** @throws CommandFailure with a line for each mistake */
export function mappingOf(suite: Suite, file: string | undefined): Mapping {
  const { error, data } = shapeOf(suite).safeParse(file === undefined ? {} : (yamlIn(file) ?? {}), IN_WORDS);
  if (error) {
    const lines = [...mistakesIn(error.issues)].map(({ path, detail }) => `${file}: ${path.join('.') || 'the file'}: ${detail}`);
    throw misuse(lines.join('\n'));
  }
  const defaults = Object.fromEntries(Object.entries(suite.ids).map(([name, { value }]) => [name, value]));
  const states = Object.entries(data.states).flatMap(([type, known]) => (known === undefined ? [] : [[type, known] as const]));
  const given = Object.entries(data.ids).filter(([, id]) => id !== undefined) as [string, string | null][];
  return {
    currency: data.currency,
    ids: { ...defaults, ...Object.fromEntries(given) },
    states: Object.fromEntries(states),
    lacks: new Set(data.notOffered),
    events: data.events,
  };
}

function shapeOf(suite: Suite) {
  const each = <T extends z.ZodType>(names: readonly string[], schema: (name: string) => T) =>
    z.strictObject(Object.fromEntries(names.map((name) => [name, schema(name).optional()])));
  const statesOf = (type: string) => objects.find((one) => one.type === type)?.lifeCycle?.states ?? [];
  const lacking = [...Object.keys(suite.capabilities), ...answeredBy(suite.application).map(({ id }) => id)];
  return z.strictObject({
    currency: Currency.default('EUR'),
    ids: each(Object.keys(suite.ids), () => z.string().min(1).max(200).nullable()).default({}),
    states: each(Object.keys(suite.objects), (type) => z.array(z.enum(statesOf(type)), { error: statesInWords }).min(1)).default({}),
    events: z.enum(['post', 'none']).default('post'),
    notOffered: z.array(z.enum(lacking)).default([]),
  });
}

/** The estate translates no states of a real system, so conform translates none. */
const statesInWords = ({ code }: { readonly code?: string }): string | undefined =>
  code === 'invalid_type'
    ? 'List the states that your system has, in the words of the contract. The mapping translates none: your system, or an adapter in front of it, answers in these words.'
    : undefined;

function yamlIn(file: string): unknown {
  const text = textOf(file);
  try {
    return parse(text);
  } catch (error) {
    // A text with too many aliases is refused with another class of error.
    throw misuse(`${file} is not YAML: ${errorMessage(error).split('\n')[0]}`);
  }
}

/** Bytes of a mapping, or of headers. */
const MOST_BYTES = 1_048_576;

function textOf(file: string): string {
  try {
    return readWithin(file, { most: MOST_BYTES, isPipeAllowed: true }).toString();
  } catch (error) {
    throw misuse(`${file} cannot be read: ${errorMessage(error)}.`);
  }
}

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(\S.*?)[ \t]*$/;

/** Headers of each call, one `Name: value` per line. @throws CommandFailure that names each invalid line without its value */
export function headersIn(file: string | undefined): Readonly<Record<string, string>> {
  if (file === undefined) return {};
  const lines = textOf(file)
    .split(/\r?\n/)
    .map((line, index) => ({ line, place: index + 1 }));
  const filled = lines.filter(({ line }) => line.trim() !== '');
  const wrong = filled.filter(({ line }) => !HEADER.test(line));
  if (wrong.length > 0)
    throw misuse(wrong.map(({ place }) => `${file}: line ${place} is not a header, like Authorization: Bearer …`).join('\n'));
  return Object.fromEntries(filled.map(({ line }) => (HEADER.exec(line) ?? []).slice(1, 3) as [string, string]));
}
