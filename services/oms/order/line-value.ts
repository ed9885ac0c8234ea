import { floorShare } from '../../../shared/domain/money.ts';
import type { StoredOrder } from '../collections.ts';
import type { OrderLine } from './lines.ts';

/** Units of a line that the customer does not get, or has given back. */
export const goneOf = ({ cancelledQty, returnedQty }: Pick<OrderLine, 'cancelledQty' | 'returnedQty'>): number =>
  cancelledQty + returnedQty;

/** Minor units: the first n units of a line are worth the floor of their share, so that all of them are worth the line to the cent. */
export const valueOfUnits = ({ lineTotal, qty }: Pick<OrderLine, 'lineTotal' | 'qty'>, units: number): number =>
  floorShare(lineTotal.amount, units, qty);

/** What a further `units` of a line are worth, less what its units before were. */
export const valueOfNext = (line: OrderLine, units: number): number =>
  valueOfUnits(line, goneOf(line) + units) - valueOfUnits(line, goneOf(line));

/** Minor units of the goods that the customer gets and keeps. */
export const goodsOf = (lines: readonly OrderLine[]): number =>
  lines.reduce((sum, line) => sum + line.lineTotal.amount - valueOfUnits(line, goneOf(line)), 0);

/** Minor units that captured − refunded has to cover before goods leave: the lines that are not cancelled, plus shipping. */
export const requiredFor = ({ lines, totals }: Pick<StoredOrder, 'lines' | 'totals'>): number => goodsOf(lines) + totals.shipping.amount;
