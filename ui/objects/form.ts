import { decimalsOf, type Money, majorUnits, money } from '../../shared/domain/money.ts';
import type { FormMember } from './catalog.ts';

/** What a form contains, by the name of the field. */
export type Values = Readonly<Record<string, string>>;

export interface Field extends Pick<FormMember, 'kind' | 'isOptional' | 'hint'> {
  /** Its place in the body: `tender/type`. A `*` stands for each entry of a list. */
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly choices?: readonly (readonly [value: string, words: string])[];
  /** In minor units, if `decimals` is set. */
  readonly number?: { readonly least: number; readonly most?: number; readonly decimals?: number };
  readonly currency?: string;
  /** An entry of a list with a smaller number is not sent. */
  readonly leftOutBelow?: number;
  /** It is sent only while another field has one of these values. */
  readonly onlyWith?: { readonly at: string; readonly is: readonly string[] };
  readonly isProduct?: true;
  readonly known?: FieldHint['known'];
}

/** What the schema of a field does not have, or has for other readers. */
export interface FieldHint extends Partial<Pick<Field, 'label' | 'hint' | 'kind' | 'onlyWith'>> {
  /** The words of each value. Other values are not offered. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Default: the value of the input. */
  readonly value?: unknown;
  readonly least?: number;
  readonly most?: number;
  /** The value of the input is the largest one. */
  readonly isAtMostInput?: true;
  /** A SKU, chosen by the name of its product. */
  readonly isProduct?: true;
  /** Values that are offered while the text is typed, each with its name. */
  readonly known?: readonly { readonly id: string; readonly name: string }[];
}

export type FieldHints = Readonly<Record<string, FieldHint>>;

export interface Input {
  readonly params: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Given {
  /** The input of a call that works. */
  readonly input: Input;
  /** The fields, by their place in the body. Default: the texts and numbers of the input, and what it lacks. */
  readonly fields?: FieldHints;
  /** Hints for members with these names. */
  readonly common?: FieldHints;
}

/** The fields for the body of a request. */
export function formOf(members: readonly FormMember[], { input: { body }, fields, common = {} }: Given): readonly Field[] {
  const memberAt = (name: string): FormMember | undefined => members.find(({ at }) => at === name.replaceAll(/\/\d+(?=\/)/g, '/*'));
  const names = fields ? Object.keys(fields) : members.flatMap((member) => typedIn(body, member));
  return names.map((name): Field => {
    const last = name.split('/').at(-1) ?? '';
    const hint = { ...common[last], ...fields?.[name] };
    const member: Partial<FormMember> | undefined = memberAt(name) ?? (hint.kind && {});
    if (!member) throw new Error(`The request has no member ${name}.`);
    const { kind = member.kind ?? 'text', label = inWords(last), isProduct, known, onlyWith } = hint;
    const given = valueAt(body, name);
    const value = textOf(hint.value ?? given);
    const choices = hint.choices ? Object.entries(hint.choices) : member.choices?.map((word) => [word, inWords(word)] as const);
    const { currency } = (kind === 'money' ? (hint.value ?? given) : {}) as Partial<Money>;
    return {
      name,
      label,
      kind,
      value: choices?.some(([one]) => one === value) === false ? (choices[0]?.[0] ?? '') : value,
      hint: (hint.hint ?? shortly(member.hint)) || undefined,
      choices,
      number: kind === 'number' || kind === 'money' ? boundsOf(member, hint, given) : undefined,
      currency,
      leftOutBelow: hint.least === undefined ? undefined : member.least,
      isOptional: member.isOptional,
      onlyWith,
      isProduct,
      known,
    };
  });
}

/** The places of a member in an input that a person types: neither ids nor what the verb decides, such as a status. */
function typedIn(body: Input['body'], { at, kind, choices, isOptional }: FormMember): readonly string[] {
  if (/(?:^|\/|\w)ids?$/i.test(at) || kind === 'flag' || choices) return [];
  const [list = '', rest] = at.split('/*/');
  const entries = rest === undefined ? undefined : valueAt(body, list);
  const places = Array.isArray(entries) ? entries.map((_entry, place) => `${list}/${place}/${rest}`) : [at];
  return places.filter((place) => valueAt(body, place) !== undefined || (!isOptional && !at.includes('*')));
}

/** Descriptions for programmers may be long. */
const MOST_HINT = 100;
const shortly = (hint = ''): string => (hint.length > MOST_HINT || hint === 'Opaque id.' ? '' : hint);

/** `pickedQty` as `Picked qty`, and `product_not_received` as `Product not received`. */
export function inWords(name: string): string {
  const words = name
    .replaceAll(/[a-z](?=[A-Z])/g, '$& ')
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const isMoney = (value: unknown): value is Money => typeof value === 'object' && value !== null && 'currency' in value;

function textOf(value: unknown): string {
  if (value === undefined || value === false) return '';
  if (isMoney(value)) return majorUnits(value);
  return Array.isArray(value) ? value.join(' ') : String(value);
}

function boundsOf(member: Partial<FormMember>, { least, most, isAtMostInput }: FieldHint, given: unknown): Field['number'] {
  const { amount = given, currency } = isMoney(given) ? given : {};
  const largest = isAtMostInput ? Number(amount) : (most ?? member.most);
  return { least: least ?? member.least ?? 0, most: largest, decimals: currency === undefined ? undefined : decimalsOf(currency) };
}

function valueAt(body: unknown, name: string): unknown {
  return name
    .split('/')
    .reduce<unknown>((json, part) => (json as Readonly<Record<string, unknown>> | undefined)?.[part === '*' ? 0 : part], body);
}

/** The body of the input with the values of a form. */
export function bodyOf(fields: readonly Field[], values: Values, { body }: Input): Input['body'] {
  const textIn = ({ name, value }: Field): string => (values[name] ?? value).trim();
  const isSent = ({ onlyWith }: Field): boolean => {
    const other = onlyWith && fields.find(({ name }) => name === onlyWith.at);
    return !other || onlyWith.is.includes(textIn(other));
  };
  const filled = fields.reduce<unknown>(
    (json, field) => withValue(json, field.name.split('/'), isSent(field) ? typed(field, textIn(field)) : undefined),
    body,
  );
  const leftOut = fields.filter((field) => field.leftOutBelow !== undefined && Number(textIn(field)) < field.leftOutBelow);
  const less = leftOut.reduce<unknown>((json, { name }) => withValue(json, name.split('/').slice(0, -1), undefined), filled);
  return Object.fromEntries(
    Object.entries(less as Input['body']).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.filter((entry) => entry !== undefined) : value,
    ]),
  );
}

/** An empty field is not sent. */
function typed({ kind, currency = '' }: Field, text: string): unknown {
  if (text === '') return undefined;
  switch (kind) {
    case 'text':
      return text;
    case 'words':
      return text.split(/\s+/);
    case 'flag':
      return text === 'true';
    case 'number':
      return Number(text);
    case 'money':
      return money(Math.round(Number(text) * 10 ** decimalsOf(currency)), currency);
  }
}

function withValue(json: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(json))
    return json.map((entry, place) => (name === '*' || name === String(place) ? withValue(entry, rest, value) : entry));
  const object = json as Readonly<Record<string, unknown>> | undefined;
  return { ...object, [name]: withValue(object?.[name], rest, value) };
}

/** The name of the field for a pointer of the gateway's errors. Without a field, the pointer itself. */
export function fieldAt(fields: readonly Field[], pointer: string): string {
  const place = pointer.slice(1);
  const isWithin = (inner: string, outer: string): boolean => inner === outer || inner.startsWith(`${outer}/`);
  const shared = place.replaceAll(/\/\d+(?=\/)/g, '/*');
  const found =
    fields.find(({ name }) => isWithin(place, name) || isWithin(shared, name)) ?? fields.find(({ name }) => isWithin(name, place));
  return found?.name ?? pointer;
}
