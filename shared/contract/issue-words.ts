import type { z } from 'zod';
import { MOST_MISTAKES } from '../catalog/problems.ts';
import { shortened } from '../domain/text.ts';

/** One mistake in a value that a schema refuses. */
export interface Mistake {
  readonly path: readonly PropertyKey[];
  readonly code: string;
  /** A sentence about the value: what is wrong, or what is valid. */
  readonly detail: string;
}

/** A path in a sentence shortens longer names. */
const LONGEST_NAME = 100;
const REQUIRED = 'This member is required.';

/** The first mistakes that a parse `IN_WORDS` has found. */
export function* mistakesIn(issues: readonly z.core.$ZodIssue[], most = MOST_MISTAKES): Generator<Mistake, void> {
  let found = 0;
  for (const mistake of eachMistake(issues)) {
    if (found++ === most) return;
    yield mistake;
  }
}

function* eachMistake(issues: readonly z.core.$ZodIssue[]): Generator<Mistake, void> {
  for (const { code, path, message, ...issue } of issues.filter(isTightest)) {
    if (code === 'unrecognized_keys' && 'keys' in issue) {
      for (const key of issue.keys) yield { path: [...path, key], code: 'unknown_member', detail: 'This member is unknown.' };
    } else yield { path, code: message === REQUIRED ? 'required' : codeOf(code, issue), detail: message };
  }
}

/** A rule that the schema library does not have may bring its own code. */
function codeOf(code: string, issue: object): string {
  if (code !== 'custom') return code;
  return ('params' in issue && (issue.params as { readonly code?: string } | undefined)?.code) || 'does_not_fit';
}

const BOUNDS: ReadonlySet<string> = new Set(['too_big', 'too_small']);

/** A number may exceed several bounds: the bound of whole numbers, then the bound of its member. The last one is the narrowest. */
function isTightest({ code, path }: z.core.$ZodIssue, place: number, issues: readonly z.core.$ZodIssue[]): boolean {
  const next = issues[place + 1];
  return !BOUNDS.has(code) || next?.code !== code || !isSamePath(path, next.path);
}

/** Names in a path may be as long as the body, so they are not joined. */
const isSamePath = (one: readonly PropertyKey[], other: readonly PropertyKey[]): boolean =>
  one.length === other.length && one.every((step, depth) => step === other[depth]);

type Issue = Parameters<z.core.$ZodErrorMap>[0];

/** Parse options that describe mistakes in sentences. A sentence in the schema has precedence. */
export const IN_WORDS = { error: inWords } as const satisfies { error: z.core.$ZodErrorMap };

function inWords(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? REQUIRED : `This must be ${expectedBy(issue)}, not ${typeOf(issue.input)}.`;
    case 'invalid_value': {
      const valid = issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.map(String).join(', ')}`;
      return issue.input === undefined ? `This member is required: ${valid}.` : `This must be ${valid}.`;
    }
    case 'too_small':
      return bound(issue.origin, Number(issue.minimum), boundWords(issue, 'at least', 'more than'));
    case 'too_big':
      return bound(issue.origin, Number(issue.maximum), boundWords(issue, 'at most', 'less than'));
    case 'invalid_format':
      return formatOf(issue);
    case 'not_multiple_of':
      return `This must be a multiple of ${issue.divisor}.`;
    case 'invalid_key':
      return 'This name is not valid here.';
    case 'invalid_union':
      if (issue.input === undefined) return REQUIRED;
      return Array.isArray(issue['options']) ? `This must be one of ${issue['options'].join(', ')}.` : formsOf(issue.errors);
    default:
      return undefined;
  }
}

/** The mistakes against each form that a value may have. */
function formsOf(forms: readonly (readonly z.core.$ZodIssue[])[]): string {
  const reasons = forms.flatMap(([first]) => {
    if (first === undefined) return [];
    const place = first.path.length > 0 ? `${first.path.map((step) => shortened(String(step), LONGEST_NAME)).join('/')}: ` : '';
    return [`${place}${first.message.replace(/^This /, 'this ').replace(/\.$/, '')}`];
  });
  return `This has none of the valid forms: ${[...new Set(reasons)].join('; or ')}.`;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** For text in place of a whole number, the issue names only `number`; this restores the kind of number. */
function expectedBy({ expected, inst }: Issue & { readonly code: 'invalid_type' }): string {
  const definition = inst?._zod.def;
  const isWhole = definition !== undefined && 'format' in definition && definition.format === 'safeint';
  return TYPES[isWhole ? 'int' : expected] ?? expected;
}

/** A fraction is shown as its value, because its type is right. */
function typeOf(input: unknown): string {
  if (typeof input === 'boolean') return String(input);
  if (typeof input === 'number') return Number.isInteger(input) ? 'a number' : String(input);
  const type = input === null ? 'null' : Array.isArray(input) ? 'array' : typeof input;
  return TYPES[type] ?? type;
}

interface Bounded {
  readonly exact?: boolean;
  readonly inclusive?: boolean;
}

const boundWords = ({ exact, inclusive }: Bounded, open: string, strict: string): string =>
  exact ? 'exactly' : inclusive === false ? strict : open;

const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  record: ['member', 'members'],
  object: ['member', 'members'],
};

function bound(origin: string, limit: number, words: string): string {
  const unit = UNITS[origin];
  if (unit === undefined) return `This must be ${words} ${limit}.`;
  if (limit === 1 && words === 'at least') return 'This must not be empty.';
  return `This must have ${words} ${limit} ${unit[limit === 1 ? 0 : 1]}.`;
}

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'an instant in UTC such as 2026-03-01T10:00:00.000Z',
  date: 'a date such as 2026-03-01',
  email: 'an e-mail address',
  url: 'an address such as https://example.com',
};

function formatOf({ format, pattern, prefix, suffix, includes }: Issue & { readonly code: 'invalid_format' }): string {
  if (Object.hasOwn(FORMATS, format)) return `This must be ${FORMATS[format]}.`;
  if (typeof prefix === 'string') return `This must begin with ${prefix}.`;
  if (typeof suffix === 'string') return `This must end with ${suffix}.`;
  if (typeof includes === 'string') return `This must contain ${includes}.`;
  if (pattern === undefined) return `This must be a valid ${format}.`;
  return `This must match ${pattern.replace(/^\/(.*)\/\w*$/s, '$1')}.`;
}
