import type { Money } from '../domain/money.ts';
import { invalid } from './problems.ts';

export interface SkuUnits {
  readonly sku: string;
  readonly qty: number;
  /** The price on the label of the unit. A unit with a label keeps a separate line. */
  readonly labelPrice?: Money;
}

export const MOST_UNITS = 9_999;

/**
 * Merges repeated SKUs without a label into one line, sorted by first mention. If lines were checked separately, the same unit could be promised twice.
 * @param pointer JSON pointer to the list
 * @throws Problem `validation_failed` at the item that takes a line above 9,999 units
 */
export function linesBySku(items: readonly SkuUnits[], pointer: string): SkuUnits[] {
  const merged = new Map<string, SkuUnits>();
  for (const [index, { sku, qty, labelPrice }] of items.entries()) {
    const line = labelPrice ? `${sku} ${index}` : sku;
    const sum = (merged.get(line)?.qty ?? 0) + qty;
    if (sum > MOST_UNITS) throw tooManyUnits(`${pointer}/${index}/qty`, sku, unitsOf(sku, items));
    merged.set(line, { sku, qty: sum, labelPrice });
  }
  return [...merged.values()];
}

export const unitsOf = (sku: string, items: readonly SkuUnits[]): number =>
  items.reduce((sum, item) => (item.sku === sku ? sum + item.qty : sum), 0);

export const tooManyUnits = (pointer: string, sku: string, units: number) =>
  invalid(pointer, 'too_big', `${sku} adds up to ${units} units; a line has at most ${MOST_UNITS}.`);
