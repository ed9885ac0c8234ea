import { floorShare } from '../../../shared/domain/money.ts';
import type { StoredOrder } from '../collections.ts';
import type { OrderLine } from './lines.ts';

/** Units of a line that were cancelled or returned. */
export const goneOf = ({ cancelledQty, returnedQty }: Pick<OrderLine, 'cancelledQty' | 'returnedQty'>): number =>
  cancelledQty + returnedQty;

/** Value in minor units of the first `units` of a line: the floor of their share, so that all units together have the value of the line. */
export const valueOfUnits = ({ lineTotal, qty }: Pick<OrderLine, 'lineTotal' | 'qty'>, units: number): number =>
  floorShare(lineTotal.amount, units, qty);

/** Value in minor units of the next `units` of a line, after the units that are gone. */
export const valueOfNext = (line: OrderLine, units: number): number =>
  valueOfUnits(line, goneOf(line) + units) - valueOfUnits(line, goneOf(line));

/** Value in minor units of the goods that are neither cancelled nor returned. */
export const goodsOf = (lines: readonly OrderLine[]): number =>
  lines.reduce((sum, line) => sum + line.lineTotal.amount - valueOfUnits(line, goneOf(line)), 0);

/** Minor units that captured − refunded has to cover before the dispatch: the remaining goods plus shipping. */
export const requiredFor = ({ lines, totals }: Pick<StoredOrder, 'lines' | 'totals'>): number => goodsOf(lines) + totals.shipping.amount;
