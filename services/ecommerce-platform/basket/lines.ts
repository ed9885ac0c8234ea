import { LIMITS } from '../../../shared/catalog/limits.ts';
import { invalid } from '../../../shared/catalog/problems.ts';
import { MOST_UNITS, type SkuUnits, tooManyUnits, unitsOf } from '../../../shared/work/lines-by-sku.ts';

export interface RequestedUnits extends SkuUnits {
  /** JSON pointer to the member of the request. */
  readonly pointer: string;
}

export interface UnpricedLine extends SkuUnits {
  readonly lineId: string;
}

/**
 * Adds units to the lines of a basket: one line per SKU, in request order. Line ids are unique in the whole estate,
 * because orders keep them and stock is allocated by them.
 * @throws Problem 422 at the pointer of the request that exceeds a limit
 */
export function addToLines(basketId: string, lines: readonly UnpricedLine[], requested: readonly RequestedUnits[]): UnpricedLine[] {
  const result = lines.map(({ lineId, sku, qty }) => ({ lineId, sku, qty }));
  for (const { sku, qty, pointer } of requested) {
    const known = result.find((line) => line.sku === sku);
    const total = (known?.qty ?? 0) + qty;
    if (total > MOST_UNITS) throw tooManyUnits(pointer, sku, unitsOf(sku, [...lines, ...requested]));
    if (known) known.qty = total;
    else if (result.length === LIMITS.lines) throw invalid(pointer, 'too_many_lines', `A basket has at most ${LIMITS.lines} lines.`);
    else result.push({ lineId: `${basketId}-${result.length + 1}`, sku, qty });
  }
  return result;
}
