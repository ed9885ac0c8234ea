import type { ObjectDefinition } from '../../shared/catalog/define-object.ts';
import { Money } from '../../shared/catalog/shapes.ts';

/** Longest label and longest value of a column. */
const LONGEST_LABEL = 160;
const MEMBER = /\{([\w.]+)\}/g;

/** The first template of the definition whose members all exist in the object. */
export function labelOf({ label = [] }: ObjectDefinition, object: unknown): string | undefined {
  for (const template of label) {
    const text = filled(template, object);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The columns of the definition. A column is left out if the object lacks its members. */
export const columnsOf = ({ columns, moreColumns }: ObjectDefinition, object: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries({ ...columns, ...moreColumns }).flatMap(([heading, template]) => {
      const text = filled(template, object);
      return text === undefined ? [] : [[heading, text]];
    }),
  );

/** @returns undefined when the object lacks a member */
function filled(template: string, object: unknown): string | undefined {
  const members = [...template.matchAll(MEMBER)].map(([, path = '']) => textAt(object, path.split('.')));
  if (members.includes('')) return undefined;
  return template.replaceAll(MEMBER, () => members.shift() ?? '').slice(0, LONGEST_LABEL);
}

/** All texts and numbers of an object, one per line. */
export function textsOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Object.values(value).map(textsOf).join('\n');
  return shown(value);
}

/** Empty when the object lacks the member. Numbers of a list are added: the units of all lines. */
function textAt(value: unknown, [name, ...rest]: readonly string[]): string {
  if (Array.isArray(value)) {
    if (rest.length === 0 && name !== undefined && areNumbers(value, name)) return String(sumOf(value, name));
    return value.map((entry) => textAt(entry, name === undefined ? [] : [name, ...rest])).join(', ');
  }
  if (name === undefined) return shown(value);
  return typeof value === 'object' && value !== null ? textAt((value as Readonly<Record<string, unknown>>)[name], rest) : '';
}

type Entries = readonly Readonly<Record<string, unknown>>[];

const areNumbers = (list: Entries, name: string): boolean => list.length > 0 && list.every((entry) => typeof entry?.[name] === 'number');

const sumOf = (list: Entries, name: string): number => list.reduce((sum, entry) => sum + Number(entry[name]), 0);

function shown(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  // A search describes thousands of values, and only an object can be an amount.
  const money = typeof value === 'object' ? Money.safeParse(value) : undefined;
  return money?.success ? amountOf(money.data) : '';
}

/** Cache of the digits after the point by currency: creating a number format is expensive. */
const digitsOf = new Map<string, number>();

function amountOf({ amount, currency }: { readonly amount: number; readonly currency: string }): string {
  const digits =
    digitsOf.get(currency) ?? new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  digitsOf.set(currency, digits);
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
}
