import { InvalidArgumentError, Option } from 'commander';
import type { SchemaPart } from '../../shared/contract/json-schemas.ts';
import type { Member } from '../../shared/contract/members.ts';
import { unknownWord } from '../../shared/domain/nearest-word.ts';
import { errorMessage } from '../../shared/domain/text.ts';
import { GIVEN_BYTES, PIPE_MS, readTextWithin, UnreadFile } from '../../shared/process/bounded-file.ts';
import { repeatable } from '../repeatable.ts';

/** What a declaration adds to the schema of a value. */
export interface ValueHints {
  /** Names of options that would be unclear, by the path of their value: `{'match.status': 'scan-status'}`. */
  readonly names?: Readonly<Record<string, string>>;
  /** The valid words of a value whose schema accepts any text. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  /** The noun for a value in messages, where the name of the option is unclear. */
  readonly noun?: string;
}

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const nameOf = ({ path }: Member, { names = {} }: ValueHints): string => names[path.join('.')] ?? kebab(path.at(-1) ?? '');

export const wordsOf = ({ path, schema }: Member, { choices = {} }: ValueHints): readonly string[] | undefined =>
  choices[path.join('.')] ?? (schema.enum ? schema.enum.map(String) : undefined);

export function optionOf(member: Member, hints: ValueHints): Option {
  const name = nameOf(member, hints);
  const description = describe(member, wordsOf(member, hints));
  if (isFlag(member.schema)) {
    const word = member.schema.type === 'boolean' ? true : 'true';
    return new Option(`--${name}`, description).argParser(() => word).preset(word);
  }
  const option = new Option(`--${name} <${placeholder(member.schema)}>`, description).makeOptionMandatory(member.required);
  return isListOfTexts(member.schema) ? repeatable(option, textsOf) : option.argParser(parserOf(member, hints));
}

/** Parses a value by its schema. @throws InvalidArgumentError with the valid values */
export function parserOf(member: Member, hints: ValueHints): (text: string) => unknown {
  const words = wordsOf(member, hints);
  const { type } = member.schema;
  return (text) => {
    if (words !== undefined && !isWord(text, words))
      throw new InvalidArgumentError(unknownWord(hints.noun ?? nameOf(member, hints), text, words));
    if (type === 'integer' || type === 'number') return numberOf(text, member.schema);
    if (isListOfTexts(member.schema)) return textsOf(text);
    if (type === 'array' || type === 'object') return jsonOf(text, type);
    return text;
  };
}

const isListOfTexts = ({ type, items }: SchemaPart): boolean => type === 'array' && items?.type === 'string';

/** A list of texts is written with commas, or as JSON. */
function textsOf(text: string): readonly unknown[] {
  if (!text.startsWith('[')) return text.split(',').map((word) => word.trim());
  return jsonOf(text, 'array') as readonly unknown[];
}

/** Event types are valid with and without their prefix. */
const isWord = (text: string, words: readonly string[]): boolean =>
  words.includes(text) || words.includes(text.replace(/^com\.unified-commerce\./, ''));

const isFlag = ({ type, enum: words = [] }: SchemaPart): boolean => type === 'boolean' || words.join() === 'true,false';

const FORMATS: Readonly<Record<string, string>> = { duration: 'duration', 'date-time': 'instant' };
const placeholder = ({ type = 'string', format = '', items }: SchemaPart): string =>
  items?.type === 'string'
    ? 'words'
    : (FORMATS[format] ?? { integer: 'number', number: 'number', array: 'json', object: 'json' }[type] ?? 'value');

/** The most words that the help text lists. */
const MOST_WORDS = 14;

function describe({ schema }: Member, words: readonly string[] | undefined): string {
  const isListed = words !== undefined && words.length <= MOST_WORDS && !isFlag(schema);
  const range = schema.type === 'integer' && schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER;
  const remarks = [
    ...(isListOfTexts(schema) ? ['separated by commas, or repeated'] : []),
    ...(isListed ? [words.join(', ')] : []),
    ...(range ? [`${schema.minimum ?? 0} to ${schema.maximum}`] : []),
    ...(schema.default !== undefined && !isFlag(schema) ? [`default: ${schema.default}`] : []),
  ];
  return [schema.description ?? '', remarks.length > 0 ? `(${remarks.join('; ')})` : ''].filter((text) => text !== '').join(' ');
}

function numberOf(text: string, { type, minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: SchemaPart): number {
  const value = Number(text);
  const range = maximum < Number.MAX_SAFE_INTEGER ? ` from ${minimum} to ${maximum}` : '';
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  if (text.trim() === '' || Number.isNaN(value) || (type === 'integer' && !Number.isInteger(value)) || value < minimum || value > maximum) {
    throw new InvalidArgumentError(`Give ${kind}${range}.`);
  }
  return value;
}

const KINDS = { object: 'an object', array: 'a list' } as const;
type Kind = keyof typeof KINDS;

/** JSON of a kind, or a file with it. */
function jsonOf(text: string, kind: Kind): unknown {
  const value = parsed(text, kind);
  if (kindOf(value) !== KINDS[kind]) throw wrongKind(value, kind);
  return value;
}

const wrongKind = (value: unknown, kind: Kind): InvalidArgumentError =>
  new InvalidArgumentError(`This must be ${KINDS[kind]}, not ${kindOf(value)}. Give JSON in single quotes, or a file with JSON.`);

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return KINDS.array;
  const words = { object: KINDS.object, string: 'text', number: 'a number', boolean: 'true or false' };
  return words[typeof value as keyof typeof words];
}

function parsed(text: string, kind: Kind): unknown {
  if (text.trim() === '') throw new InvalidArgumentError('This is empty. Give JSON in single quotes, or a file with JSON.');
  const isFile = !/^\s*[[{]/.test(text);
  try {
    return JSON.parse(isFile ? readTextWithin(text, { most: GIVEN_BYTES, pipeMs: PIPE_MS }) : text);
  } catch (error) {
    if (!isFile) throw new InvalidArgumentError('Give JSON, in single quotes.');
    if (error instanceof UnreadFile && error.isMissing && isJson(text)) throw wrongKind(JSON.parse(text), kind);
    throw new InvalidArgumentError(
      error instanceof SyntaxError
        ? `${text} is not JSON: correct it, or fetch it again if it was cut off.`
        : `${text} cannot be read: ${errorMessage(error)}. Give a file with JSON, or JSON in single quotes.`,
    );
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
