import type { ObjectDefinition } from '../../shared/catalog/define-object.ts';
import { Money } from '../../shared/catalog/shapes.ts';

const LONGEST_LABEL = 160;
const MEMBER = /\{([\w.]+)\}/g;

/** The first template of the definition whose members the object all has. */
export function labelOf({ label = [] }: ObjectDefinition, object: unknown): string | undefined {
  for (const text of label) {
    const members = [...text.matchAll(MEMBER)].map(([, path = '']) => textAt(object, path.split('.')));
    if (members.every((member) => member !== '')) return text.replaceAll(MEMBER, () => members.shift() ?? '').slice(0, LONGEST_LABEL);
  }
  return undefined;
}

/** Empty when the object lacks the member. */
function textAt(value: unknown, [name, ...rest]: readonly string[]): string {
  if (Array.isArray(value)) return value.map((entry) => textAt(entry, name === undefined ? [] : [name, ...rest])).join(', ');
  if (name === undefined) return shown(value);
  return typeof value === 'object' && value !== null ? textAt((value as Readonly<Record<string, unknown>>)[name], rest) : '';
}

function shown(value: unknown): string {
  const money = Money.safeParse(value);
  if (money.success) return amountOf(money.data);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Digits after the point by currency: a format is expensive to make. */
const digitsOf = new Map<string, number>();

function amountOf({ amount, currency }: { readonly amount: number; readonly currency: string }): string {
  const digits =
    digitsOf.get(currency) ?? new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  digitsOf.set(currency, digits);
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
}
