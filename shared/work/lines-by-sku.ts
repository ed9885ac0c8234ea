import { invalid } from '../catalog/problems.ts';

export interface SkuUnits {
  readonly sku: string;
  readonly qty: number;
}

export const MOST_UNITS = 9_999;

/**
 * Merges repeated SKUs into one line, sorted by first mention. If lines were checked separately, the same unit could be promised twice.
 * @param pointer JSON pointer to the list
 * @throws Problem `validation_failed` at the item that takes a line above 9,999 units
 */
export function linesBySku(items: readonly SkuUnits[], pointer: string): SkuUnits[] {
  const merged = new Map<string, number>();
  for (const [index, { sku, qty }] of items.entries()) {
    const sum = (merged.get(sku) ?? 0) + qty;
    if (sum > MOST_UNITS) throw tooManyUnits(`${pointer}/${index}/qty`, sku, unitsOf(sku, items));
    merged.set(sku, sum);
  }
  return [...merged].map(([sku, qty]) => ({ sku, qty }));
}

export const unitsOf = (sku: string, items: readonly SkuUnits[]): number =>
  items.reduce((sum, item) => (item.sku === sku ? sum + item.qty : sum), 0);

export const tooManyUnits = (pointer: string, sku: string, units: number) =>
  invalid(pointer, 'too_big', `${sku} adds up to ${units} units; a line has at most ${MOST_UNITS}.`);
