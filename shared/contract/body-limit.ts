import { z } from 'zod';
import type { AuthScheme } from '../catalog/define.ts';
import type { SchemaPart } from './json-schemas.ts';

/** Limit of a request body in bytes. No body has a higher one, except the file of a snapshot. */
export const BODY_BYTES = 1_048_576;
/** No body has a lower limit, so that white space and repeated members have room. */
const LEAST_BYTES = 65_536;
/** Room for white space: the bound has none, a pretty-printed body has. */
const WITH_SPACE = 2;

/** A character of UTF-16, escaped: `\u00e9`. */
const CHARACTER_BYTES = 6;
/** JSON permits any number of digits; programs write at most 25. */
const NUMBER_BYTES = 64;

interface Taken {
  readonly request: z.ZodType;
  readonly auth?: AuthScheme;
}

const known = new WeakMap<z.ZodType, number>();

/**
 * The most bytes of a body of an API or a control operation, decoded. Most schemas accept a few kilobytes only, and a longer body would be
 * read, parsed and searched in vain. Webhooks may have unknown members, so their limit is `BODY_BYTES`.
 */
export function bodyLimit({ request, auth }: Taken): number {
  if (auth === 'signature') return BODY_BYTES;
  const limit = known.get(request) ?? limitOf(request);
  known.set(request, limit);
  return limit;
}

function limitOf(request: z.ZodType): number {
  const { $defs = {}, ...schema } = z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' }) as SchemaPart;
  return Math.max(LEAST_BYTES, Math.min(BODY_BYTES, WITH_SPACE * mostBytes(schema, { named: $defs, within: [] })));
}

interface Place {
  readonly named: Readonly<Record<string, SchemaPart>>;
  /** The references around a part. */
  readonly within: readonly string[];
}

const NO_BOUND = Number.POSITIVE_INFINITY;

/** The most bytes of a value that fits, without white space; infinite for a schema that does not bound it. */
function mostBytes(part: SchemaPart, place: Place): number {
  return Math.min(ofOwnKeywords(part, place), ...(part.allOf ?? []).map((one) => mostBytes(one, place)));
}

function ofOwnKeywords(part: SchemaPart, place: Place): number {
  const { $ref, type, const: only, enum: values = only === undefined ? undefined : [only], anyOf, oneOf = anyOf } = part;
  if ($ref !== undefined) return ofReference($ref, place);
  if (values) return Math.max(...values.map((value) => CHARACTER_BYTES * JSON.stringify(value).length));
  if (oneOf) return Math.max(...oneOf.map((one) => mostBytes(one, place)));
  switch (type) {
    case 'object':
      return ofObject(part, place);
    case 'array':
      return 2 + (part.maxItems ?? NO_BOUND) * (1 + mostBytes(part.items ?? {}, place));
    case 'string':
      return 2 + CHARACTER_BYTES * Math.min(part.maxLength ?? NO_BOUND, longestOf(part.pattern));
    case 'integer':
    case 'number':
    case 'boolean':
    case 'null':
      return NUMBER_BYTES;
    default:
      return NO_BOUND;
  }
}

function ofReference($ref: string, { named, within }: Place): number {
  const target = named[$ref.slice($ref.lastIndexOf('/') + 1)];
  if (target === undefined || within.includes($ref)) return NO_BOUND;
  return mostBytes(target, { named, within: [...within, $ref] });
}

function ofObject({ properties = {}, additionalProperties }: SchemaPart, place: Place): number {
  if (additionalProperties !== false) return NO_BOUND;
  const members = Object.entries(properties).map(([name, member]) => CHARACTER_BYTES * name.length + 4 + mostBytes(member, place));
  return members.reduce((sum, bytes) => sum + bytes, 2);
}

const ANCHORED = /^\^(?:[^|]*|\(\?:.*\))\$$/;
/** Repetition without an end, and a repeated group. */
const ENDLESS = /[*+]|\{\d+,\}|\\[1-9k]/;
const REPEATED = /\{(?:\d+,)?(\d+)\}/g;

/** More characters than any text that the pattern matches: each character of the pattern matches one, as often as it is repeated. */
function longestOf(pattern: string | undefined): number {
  if (pattern === undefined || !ANCHORED.test(pattern) || ENDLESS.test(pattern)) return NO_BOUND;
  return [...pattern.matchAll(REPEATED)].reduce((characters, [, times]) => characters * Number(times), pattern.length);
}
