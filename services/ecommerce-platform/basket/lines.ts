import { invalid } from '../../../shared/catalog/problems.ts';

/** Units of one SKU. */
export interface Wanted {
  readonly sku: string;
  readonly qty: number;
}

/** Units of one SKU and the member of the request that asks for them: a JSON pointer. */
export interface Asked extends Wanted {
  readonly pointer: string;
}

export interface LineOfBasket extends Wanted {
  readonly lineId: string;
}

const MAX_QTY = 9_999;
const MAX_LINES = 200;

/**
 * Adds units to the lines of a basket: one line per SKU, in the order in which they came. Line ids are unique in the whole
 * estate, because an order keeps them and stock is allocated by them.
 * @throws Problem 422 pointing at the request's member that goes beyond what a line or a basket takes
 */
export function addToLines(basketId: string, lines: readonly LineOfBasket[], asked: readonly Asked[]): LineOfBasket[] {
  const result = lines.map(({ lineId, sku, qty }) => ({ lineId, sku, qty }));
  for (const { sku, qty, pointer } of asked) {
    const known = result.find((line) => line.sku === sku);
    const total = (known?.qty ?? 0) + qty;
    if (total > MAX_QTY) {
      throw invalid(pointer, 'too_big', `A line has at most ${MAX_QTY} units; "${sku}" would have ${total}.`);
    }
    if (known) known.qty = total;
    else if (result.length === MAX_LINES) throw invalid(pointer, 'too_many_lines', `A basket has at most ${MAX_LINES} lines.`);
    else result.push({ lineId: `${basketId}-${result.length + 1}`, sku, qty });
  }
  return result;
}
