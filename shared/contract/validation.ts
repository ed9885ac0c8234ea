import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { ApiDefinition } from '../catalog/define.ts';
import { type FieldError, MOST_ERRORS, MOST_MISTAKES, Problem } from '../catalog/problems.ts';
import { isCurrency } from '../domain/money.ts';
import { asText, isText, shortened } from '../domain/text.ts';
import { IN_WORDS, mistakesIn } from './issue-words.ts';

export type Part = 'body' | 'query' | 'path';

/** Names in a request may be as long as its body. Problems shorten them. */
const NAME_CHARACTERS = 100;

const nameAt = (step: PropertyKey): string => asText(shortened(String(step), NAME_CHARACTERS));

/** The place of a value: a JSON pointer into the body, `?query.parameter`, or `{path parameter}`. */
export function pointerTo(part: Part, path: readonly PropertyKey[]): string {
  const names = path.map(nameAt);
  if (part === 'query') return `?${names.join('.')}`;
  if (part === 'path') return `{${names.join('.')}}`;
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

const NULL_BODY: FieldError = {
  pointer: '',
  code: 'invalid_type',
  detail: 'This must be an object, not null. Send {} or no body if it has no members.',
};

/** Parses a query. @throws Problem `validation_failed` naming each parameter that does not fit */
export function parseQuery(schema: z.ZodType, value: unknown): unknown {
  refuseNotText(value, 'query');
  const parsed = schema.safeParse(value, IN_WORDS);
  if (parsed.success) return parsed.data;
  throw validationFailed(withPlusRemedy(fieldErrors(parsed.error.issues, 'query'), value));
}

/**
 * Parses a body. Its text was checked when it was read.
 * @param currency the only one that amounts may have; undefined: any
 * @throws Problem `validation_failed` naming each member that does not fit
 */
export function parseBody(schema: z.ZodType, value: unknown, currency?: string): unknown {
  const parsed = schema.safeParse(value, IN_WORDS);
  const foreign = currency === undefined ? undefined : foreignCurrencies(value, currency);
  const first = foreign?.next().value;
  if (parsed.success && !first) return parsed.data;
  if (value === null) throw validationFailed([NULL_BODY]);
  const inSchema = fieldErrors(parsed.error?.issues ?? [], 'body');
  throw validationFailed(first && foreign ? joined(inSchema, [first], foreign) : inSchema);
}

/** The currencies in a body that are not the currency of the rehearsal. The schema refuses what is not a currency. */
function* foreignCurrencies(value: unknown, currency: string, path: readonly string[] = []): Generator<FieldError, void> {
  if (typeof value !== 'object' || value === null) return;
  for (const name in value) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (name === 'currency' && typeof member === 'string') {
      if (member === currency || !isCurrency(member)) continue;
      const detail = `This must be ${currency}, the currency of this rehearsal.`;
      yield { pointer: pointerTo('body', [...path, name]), code: 'unsupported_currency', detail };
    } else if (typeof member === 'object') yield* foreignCurrencies(member, currency, [...path, name]);
  }
}

/** For clients that write a query by hand. */
export const PLUS_REMEDY = ' A + in a query stands for a blank: write it as %2B.';

/** Browsers and most clients send a blank of a query as +, so a + that is meant arrives as a blank. */
function* withPlusRemedy(errors: Iterable<FieldError>, query: unknown): Generator<FieldError, void> {
  for (const error of errors) {
    const sent = (query as Readonly<Record<string, unknown>>)[error.pointer.slice(1)];
    const hasBlank = typeof sent === 'string' && sent.includes(' ') && error.code !== 'unknown_member';
    yield hasBlank ? { ...error, detail: `${error.detail}${PLUS_REMEDY}` } : error;
  }
}

/** Path parameters as Express decodes them, without blanks around them. @throws Problem `validation_failed` for strings that are not text */
export function parseParams(params: Readonly<Record<string, string | string[]>>): Record<string, string> {
  const plain = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value).trim()]));
  refuseNotText(plain, 'path');
  return plain;
}

/** @throws Problem `validation_failed` for strings and member names that are not text */
export function refuseNotText(value: unknown, part: Part): void {
  if (isAllText(value)) return;
  const errors = notTextErrors(value, part);
  const first = errors.next();
  if (first.done !== true) throw validationFailed(joined([first.value], errors));
}

/** Checks strings without collecting pointers, which only a refusal needs. */
function isAllText(value: unknown): boolean {
  if (typeof value === 'string') return isText(value);
  if (typeof value !== 'object' || value === null) return true;
  for (const name in value) if (!isText(name) || !isAllText((value as Record<string, unknown>)[name])) return false;
  return true;
}

function* notTextErrors(value: unknown, part: Part): Generator<FieldError, void> {
  for (const path of notTextIn(value)) yield { pointer: pointerTo(part, path), code: 'not_text', detail: NOT_TEXT };
}

export const NOT_TEXT = 'This is not text: it has NUL or half of a surrogate pair.';

/** The places of strings and member names that are not text. */
export function* notTextIn(value: unknown, path: readonly string[] = []): Generator<readonly string[], void> {
  if (typeof value === 'string') {
    if (!isText(value)) yield path;
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const at = [...path, name];
      if (!isText(name)) yield at;
      else yield* notTextIn(member, at);
    }
  }
}

/** @throws Problem `validation_failed` for members named `__proto__`, at any depth */
export function refusePrototypes(value: unknown): void {
  const errors: FieldError[] = [];
  for (const path of prototypesIn(value)) {
    errors.push({ pointer: pointerTo('body', path), code: 'unknown_member', detail: NO_MEMBER });
    if (errors.length === MOST_ERRORS) break;
  }
  if (errors.length > 0) throw validationFailed(errors);
}

export const NO_MEMBER = 'No member can have this name.';

/** Paths of members named `__proto__`. Schemas would drop them silently. */
export function* prototypesIn(value: unknown, path: readonly PropertyKey[] = []): Generator<readonly PropertyKey[], void> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (name === '__proto__') yield [...path, name];
    else yield* prototypesIn(member, [...path, name]);
  }
}

function* joined<T>(...lists: readonly Iterable<T>[]): Generator<T, void> {
  for (const list of lists) yield* list;
}

/** Lists the first errors and counts the others, up to `MOST_MISTAKES`. */
export function validationFailed(all: Iterable<FieldError>): Problem {
  const errors: FieldError[] = [];
  let errorsOmitted = 0;
  for (const error of all) {
    if (errors.length < MOST_ERRORS) errors.push(error);
    else errorsOmitted += 1;
    if (errors.length + errorsOmitted === MOST_MISTAKES) break;
  }
  const [first] = errors;
  const detail = first ? `${first.pointer === '' ? 'The body' : first.pointer}: ${first.detail}` : 'The request is not valid.';
  return new Problem('validation_failed', detail, { errors, errorsOmitted: errorsOmitted || undefined });
}

function* fieldErrors(issues: readonly z.core.$ZodIssue[], part: Part): Generator<FieldError, void> {
  for (const { path, code, detail } of mistakesIn(issues)) yield { pointer: pointerTo(part, path), code, detail: inPart(detail, part) };
}

/** A query has parameters, not members. */
const inPart = (detail: string, part: Part): string => (part === 'query' ? detail.replace(/^This member\b/, 'This parameter') : detail);

/** Limit of named members. */
const MOST_IGNORED = 10;

/** Pointers to the members of a body that its schema left out. */
export function ignoredMembers(sent: unknown, parsed: unknown): readonly string[] {
  const pointers: string[] = [];
  for (const path of leftOut(sent, parsed, [])) {
    pointers.push(pointerTo('body', path));
    if (pointers.length === MOST_IGNORED) break;
  }
  return pointers;
}

function* leftOut(sent: unknown, parsed: unknown, path: readonly string[]): Generator<readonly string[], void> {
  if (typeof sent !== 'object' || sent === null || typeof parsed !== 'object' || parsed === null) return;
  for (const name in sent) {
    const at = [...path, name];
    if (Object.hasOwn(parsed, name)) yield* leftOut((sent as Members)[name], (parsed as Members)[name], at);
    else yield at;
  }
}

type Members = Readonly<Record<string, unknown>>;

/** The declared members of a value from outside the estate. Unknown members are left out, even where the schema is strict. */
export function openMembers<T>(schema: z.ZodType<T>, value: unknown): z.ZodSafeParseResult<T> {
  const parsed = declaredMembers(schema, value);
  if (parsed.success) return parsed;
  const copy = asSent(value);
  for (const issue of parsed.error.issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const holder = issue.path.reduce<unknown>((inner, step) => (inner as Members | undefined)?.[step as string], copy);
    for (const key of issue.keys) Reflect.deleteProperty(holder as object, key);
  }
  return declaredMembers(schema, copy);
}

/** Filters undeclared members out of a response. With `strict` (in tests) it throws, to find handlers that return them. */
export function filterResponse(api: ApiDefinition, output: unknown, { strict }: { readonly strict: boolean }): unknown {
  const parsed = declaredMembersOnce(api.response, output ?? null);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Error(`The response of ${api.id} does not match its schema: /${issue?.path.join('/')}: ${issue?.message}`);
  }
  if (strict) refuseUndeclared(api, asSent(output ?? null), parsed.data);
  return parsed.data;
}

/** The declared members of a value. The check uses the value's JSON, because a schema may refuse members that are undefined. */
export function declaredMembers<T>(schema: z.ZodType<T>, value: unknown): z.ZodSafeParseResult<T> {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed : schema.safeParse(asSent(value));
}

/** Accepted objects, with the schema of the last check and its result. */
const accepted = new WeakMap<object, { readonly schema: z.ZodType; readonly result: z.ZodSafeParseResult<unknown> }>();

/**
 * As `declaredMembers`, for an object that is never changed, as objects of a unit of work. An object that is read, published or answered
 * several times is validated once.
 */
export function declaredMembersOnce<T>(schema: z.ZodType<T>, value: unknown): z.ZodSafeParseResult<T> {
  if (typeof value !== 'object' || value === null) return declaredMembers(schema, value);
  const known = accepted.get(value);
  if (known?.schema === schema) return known.result as z.ZodSafeParseResult<T>;
  const result = declaredMembers(schema, value);
  if (result.success) accepted.set(value, { schema, result });
  return result;
}

const asSent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function refuseUndeclared(api: ApiDefinition, plain: unknown, declared: unknown): void {
  if (isDeepStrictEqual(asSent(declared), plain)) return;
  throw new Error(`The response of ${api.id} has members that its schema does not declare: ${superfluous(plain, declared, '')}`);
}

function superfluous(is: unknown, declared: unknown, at: string): string {
  if (typeof is !== 'object' || is === null || typeof declared !== 'object' || declared === null) return at;
  for (const [key, value] of Object.entries(is)) {
    if (!Object.hasOwn(declared, key)) return `${at}/${key}`;
    const inner = (declared as Record<string, unknown>)[key];
    if (!isDeepStrictEqual(asSent(inner), value)) return superfluous(value, inner, `${at}/${key}`);
  }
  return at;
}
