import { z } from 'zod';
import type { AuthScheme } from '../catalog/define.ts';
import type { SchemaPart } from './json-schemas.ts';

/** Limit of a request body in bytes. No body has a higher one, except the file of a snapshot. */
export const BODY_BYTES = 1_048_576;
/** A webhook of a carrier has less than a kilobyte. */
const WEBHOOK_BYTES = 131_072;
/** No body has a lower limit, so that repeated members have room. */
const LEAST_BYTES = 65_536;

/** A new line and the spaces of six levels, before each member and element of a pretty-printed body. */
const SPACE_BYTES = 32;
/** A character of UTF-16, escaped: `\u00e9`. */
const CHARACTER_BYTES = 6;
/** JSON permits any number of digits; programs write at most 25. */
const NUMBER_BYTES = 32;

interface Taken {
  readonly request: z.ZodType;
  readonly auth?: AuthScheme;
  readonly body?: number | 'large';
}

const known = new WeakMap<z.ZodType, number>();

/**
 * The most bytes of a body of an API or a control operation, decoded. Most schemas accept a few kilobytes only, and a longer body would be
 * read, parsed and searched in vain. An operation whose schema has no bound gives its limit. Webhooks may have unknown members.
 */
export function bodyLimit({ request, auth, body }: Taken): number {
  if (typeof body === 'number') return body;
  if (auth === 'signature') return WEBHOOK_BYTES;
  const limit = known.get(request) ?? limitOf(request);
  known.set(request, limit);
  return limit;
}

function limitOf(request: z.ZodType): number {
  const { $defs = {}, ...schema } = z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' }) as SchemaPart;
  return Math.max(LEAST_BYTES, Math.min(BODY_BYTES, mostBytes(schema, { named: $defs, within: [] })));
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
      return 2 + (part.maxItems ?? NO_BOUND) * (1 + SPACE_BYTES + mostBytes(part.items ?? {}, place));
    case 'string':
      return 2 + bytesOfCharacter(part.pattern) * Math.min(part.maxLength ?? NO_BOUND, longestOf(part.pattern));
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

function ofObject({ properties = {}, additionalProperties, propertyNames = {}, maxProperties }: SchemaPart, place: Place): number {
  if (typeof additionalProperties === 'object' && maxProperties !== undefined) {
    return (
      2 +
      maxProperties * (4 + SPACE_BYTES + mostBytes({ ...propertyNames, type: 'string' }, place) + mostBytes(additionalProperties, place))
    );
  }
  if (additionalProperties !== false) return NO_BOUND;
  const members = Object.entries(properties).map(([name, member]) => name.length + 4 + SPACE_BYTES + mostBytes(member, place));
  return members.reduce((sum, bytes) => sum + bytes, 2);
}

const ANCHORED = /^\^(?:[^|]*|\(\?:.*\))\$$/;
/** Repetition without an end, and a repeated group. */
const ENDLESS = /[*+]|\{\d+,\}|\\[1-9k]/;
const REPEATED_GROUP = /\)\{/;
const REPEATED = /\{(?:\d+,)?(\d+)\}/g;

/** More characters than any text that the pattern matches: each character of the pattern matches one, as often as it is repeated. */
function longestOf(pattern: string | undefined): number {
  if (pattern === undefined || !ANCHORED.test(pattern) || ENDLESS.test(pattern)) return NO_BOUND;
  const times = [...pattern.matchAll(REPEATED)].map(([, most]) => Number(most));
  if (REPEATED_GROUP.test(pattern)) return times.reduce((characters, most) => characters * most, pattern.length);
  return times.reduce((characters, most) => characters + most, pattern.length);
}

/** Letters, digits and marks that JSON never escapes: alone, as a class, or behind a backslash. */
const UNESCAPED = /^(?:[\w^$(){}?*+|:,-]|\\[.d+-]|\[[\w.-]+\])*$/;

/** The most bytes of a character of a text. JSON has no reason to escape the letters and digits of an id. */
const bytesOfCharacter = (pattern: string | undefined): number =>
  pattern !== undefined && ANCHORED.test(pattern) && UNESCAPED.test(pattern) ? 1 : CHARACTER_BYTES;
