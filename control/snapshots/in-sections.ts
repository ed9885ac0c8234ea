import { z } from 'zod';
import { type FieldError, MOST_ERRORS } from '../../shared/catalog/problems.ts';
import { IN_WORDS, mistakesIn } from '../../shared/contract/issue-words.ts';
import type { Breathe } from '../../shared/domain/breathe.ts';
import { mistake, type Path } from './mistake.ts';

/** The most members of a section. A schema checks each member first, so its own limit comes too late for a hostile file. */
const limits = new WeakMap<z.core.$ZodType, number>();
/** Names of members in a section. */
const LONGEST_NAME = 400;
/** Values within one row: an order with the most lines has a tenth. Each of them may become a mistake of the schema. */
const MOST_VALUES = 50_000;

function limited<S extends z.ZodType>(schema: S, most: number): S {
  limits.set(schema, most);
  return schema;
}

/** A section that is a list. */
export const listOf = <T extends z.ZodType>(row: T, most: number) => limited(z.array(row), most);

/** A section whose members have any name. */
export const recordOf = <T extends z.ZodType>(member: T, most: number) => limited(z.record(z.string(), member), most);

const unwrapped = (schema: z.core.$ZodType): z.core.$ZodType => (schema instanceof z.ZodOptional ? unwrapped(schema.unwrap()) : schema);

/** Whether a schema has sections. The rows of a list have none. */
function hasSections(schema: z.core.$ZodType): boolean {
  const inner = unwrapped(schema);
  if (limits.has(inner)) return true;
  return inner instanceof z.ZodObject && Object.values<z.core.$ZodType>(inner.shape).some(hasSections);
}

/** Parses a value section by section and row by row, with pauses in between. @returns the output of the schema, unless it has mistakes */
export async function* parseInSections(
  schema: z.core.$ZodType,
  value: unknown,
  { path, breathe }: { readonly path: Path; readonly breathe: Breathe },
): AsyncGenerator<FieldError, unknown, void> {
  const waiting = breathe();
  if (waiting) await waiting;
  const inner = unwrapped(schema);
  if (value === undefined || !hasSections(inner)) return yield* rowOf(schema, value, path);
  const most = limits.get(inner) ?? Number.POSITIVE_INFINITY;
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    if (value.length > most) return yield mistake(path, 'too_big', `This must have at most ${most} items.`);
    const found: unknown[] = [];
    for (const [place, item] of value.entries()) {
      const pause = breathe();
      if (pause) await pause;
      found.push(yield* rowOf(inner.element, item, [...path, place]));
    }
    return found;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return yield* rowOf(schema, value, path);
  const names = Object.keys(value);
  if (names.length > most) return yield mistake(path, 'too_big', `This must have at most ${most} members.`);
  const found: [string, unknown][] = [];
  const memberOf = (name: string): unknown => (value as Readonly<Record<string, unknown>>)[name];
  if (inner instanceof z.ZodObject) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = inner.shape;
    for (const name of names) {
      if (!Object.hasOwn(shape, name)) yield mistake([...path, name], 'unknown_member', 'This member is unknown.');
    }
    for (const [name, member] of Object.entries(shape)) {
      const parsed = yield* parseInSections(member, Object.hasOwn(value, name) ? memberOf(name) : undefined, {
        path: [...path, name],
        breathe,
      });
      if (parsed !== undefined) found.push([name, parsed]);
    }
  } else if (inner instanceof z.ZodRecord) {
    for (const name of names) {
      const at = [...path, name];
      if (name === '__proto__') yield mistake(at, 'unknown_member', NO_MEMBER);
      else if (name.length > LONGEST_NAME) yield mistake(at, 'too_big', `A name has at most ${LONGEST_NAME} characters.`);
      else found.push([name, yield* parseInSections(inner.valueType, memberOf(name), { path: at, breathe })]);
    }
  }
  return Object.fromEntries(found);
}

const NO_MEMBER = 'No member can have this name.';

function* rowOf(schema: z.core.$ZodType, value: unknown, path: Path): Generator<FieldError, unknown, void> {
  const weight: Weight = { values: 0, prototype: undefined };
  weigh(value, weight, []);
  if (weight.prototype) return yield mistake([...path, ...weight.prototype], 'unknown_member', NO_MEMBER);
  const isAny = unwrapped(schema) instanceof z.ZodUnknown;
  if (weight.values > MOST_VALUES && !isAny) return yield mistake(path, 'too_big', `This must have at most ${MOST_VALUES} values.`);
  const { data, error } = z.safeParse(schema, value, IN_WORDS);
  for (const { path: inside, code, detail } of mistakesIn(error?.issues ?? [])) yield mistake([...path, ...inside], code, detail);
  return data;
}

interface Weight {
  values: number;
  /** Path of the first member with the name of the prototype. A schema would drop it silently. */
  prototype: Path | undefined;
}

/** Counts the values within a value. */
function weigh(value: unknown, weight: Weight, path: PropertyKey[]): void {
  if (typeof value !== 'object' || value === null) return;
  for (const name in value) {
    weight.values += 1;
    path.push(name);
    if (name === '__proto__') weight.prototype ??= [...path];
    weigh((value as Readonly<Record<string, unknown>>)[name], weight, path);
    path.pop();
  }
}

/** Whether a value may have too many mistakes to validate it. */
export function isOversized(value: unknown): boolean {
  const weight: Weight = { values: 0, prototype: undefined };
  weigh(value, weight, []);
  return weight.values > MOST_VALUES;
}

/** The first mistakes. The check ends with the last of them. */
export async function firstOf(mistakes: AsyncIterable<FieldError>): Promise<FieldError[]> {
  const found: FieldError[] = [];
  for await (const one of mistakes) {
    found.push(one);
    if (found.length >= MOST_ERRORS) break;
  }
  return found;
}
