import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { LIMITS, limitReached } from '../../shared/catalog/limits.ts';
import type { ChangeOrderRequest } from '../../shared/catalog/order/apis.ts';
import { goodsOf, requiredFor, securedBy, shippingOf, valueOfUnits } from '../../shared/catalog/payment/cover.ts';
import { invalid, type Problem } from '../../shared/catalog/problems.ts';
import type { Figures } from '../../shared/catalog/retailer.ts';
import { addedTax, floorShare, minus, money, moneyInWords } from '../../shared/domain/money.ts';
import type { PendingChange, StoredOrder } from './collections.ts';
import { keptAt, nodesOf, type OrderLine, servedFrom } from './lines.ts';
import { changeReference, EARNS_NOTHING, type Payment } from './payments.ts';

export type Asked = z.output<typeof ChangeOrderRequest>;
type Entry = PendingChange['entry'];

/** What a change replaces. `moves`: the goods come from another place. */
export interface Wanted {
  readonly what: Entry['what'];
  readonly delivery: Pick<StoredOrder, 'shippingAddress' | 'shippingMethod' | 'collection'>;
  /** The units of each remaining line. */
  readonly lines: readonly { readonly lineId: string; readonly qty: number }[];
  readonly moves: boolean;
}

/** The source document does not specify a default. */
const DEFAULT_SHIPPING_METHOD = 'STANDARD';

/**
 * What a request changes; undefined if the order has the values already.
 * @throws Problem `validation_failed` for values that the order cannot have
 */
export function wantedOf(order: StoredOrder, asked: Asked): Wanted | undefined {
  const { shippingAddress, shippingMethod = DEFAULT_SHIPPING_METHOD, collection } = order;
  const standing: Wanted = {
    what: 'lines',
    delivery: { shippingAddress, shippingMethod: order.shippingMethod, collection },
    lines: order.lines.map(({ lineId, qty }) => ({ lineId, qty })),
    moves: false,
  };
  if (asked.lines) {
    const lines = remainingLines(order, asked.lines);
    return isDeepStrictEqual(lines, standing.lines) ? undefined : { ...standing, lines };
  }
  if (asked.shippingMethod) {
    if (collection) throw nothingIsSent(order);
    if (asked.shippingMethod === shippingMethod) return undefined;
    return { ...standing, what: 'shipping-method', delivery: { shippingAddress, shippingMethod: asked.shippingMethod } };
  }
  if (asked.shippingAddress) {
    if (collection) {
      refuseUnpaid(order);
      const delivery = { shippingAddress: asked.shippingAddress, shippingMethod: DEFAULT_SHIPPING_METHOD } as const;
      return { ...standing, what: 'address', delivery, moves: true };
    }
    if (isDeepStrictEqual(asked.shippingAddress, shippingAddress)) return undefined;
    return { ...standing, what: 'address', delivery: { shippingAddress: asked.shippingAddress, shippingMethod: order.shippingMethod } };
  }
  if (!asked.collection) return undefined;
  const { locationId, person } = asked.collection;
  const isHere = collection?.locationId === locationId;
  if (isHere && collection.person === person) return undefined;
  // The promise of another store is read when the goods are reserved there.
  const { readyBy } = isHere ? collection : (order.collection ?? { readyBy: order.createdAt });
  return { ...standing, what: 'collection', delivery: { collection: { locationId, person, readyBy } }, moves: !isHere };
}

function remainingLines(order: StoredOrder, asked: NonNullable<Asked['lines']>): Wanted['lines'] {
  const units = new Map(order.lines.map(({ lineId, qty }) => [lineId, qty]));
  for (const [index, { lineId, qty }] of asked.entries()) {
    const before = order.lines.find((line) => line.lineId === lineId);
    const pointer = `/lines/${index}`;
    // A repeat names a line that it has removed.
    if (!before && qty === 0 && order.changes?.some(({ removed = [] }) => removed.some((line) => line.lineId === lineId))) continue;
    if (!before) throw invalid(`${pointer}/lineId`, 'unknown_line', `The order "${order.id}" has no line "${lineId}".`);
    if (asked.findIndex((one) => one.lineId === lineId) < index)
      throw invalid(`${pointer}/lineId`, 'repeated', `The line "${lineId}" is named twice; name it once.`);
    if (qty > before.qty) {
      const detail = `The line "${lineId}" has ${before.qty} units, not ${qty}: a change takes units away. Place a new order for more.`;
      throw invalid(`${pointer}/qty`, 'more_units', detail);
    }
    units.set(lineId, qty);
  }
  const left = order.lines.flatMap(({ lineId }) => {
    const qty = units.get(lineId) ?? 0;
    return qty > 0 ? [{ lineId, qty }] : [];
  });
  if (left.length > 0) return left;
  throw invalid('/lines', 'nothing_left', `This leaves nothing of the order "${order.id}". Cancel it with Cancel Order instead.`);
}

const nothingIsSent = ({ id }: StoredOrder): Problem =>
  invalid(
    '/shippingMethod',
    'collected',
    `The customer collects the order "${id}", so it has no shipping method. Send a shippingAddress to have it sent.`,
  );

/** @throws Problem `validation_failed` for sending goods that their customer would have paid when collecting them */
function refuseUnpaid({ id, payAt }: StoredOrder): void {
  if (payAt !== 'collection') return;
  const detail = `The order "${id}" is paid when it is collected, so it cannot be sent. Cancel it, and place an order that is paid now.`;
  throw invalid('/shippingAddress', 'not_paid', detail);
}

/** @throws Problem `limit_reached` */
export function refuseFurtherChange({ id, changes = [] }: StoredOrder): void {
  if (changes.length < LIMITS.changes) return;
  const remedy = 'Cancel the order and place another one.';
  throw limitReached('changes', `The order "${id}" was changed ${LIMITS.changes} times, which is the limit.`, {
    objectType: 'order',
    id,
    remedy,
  });
}

type Price = Pick<StoredOrder, 'totals'> & { readonly lines: readonly PricedLine[] };
type PricedLine = Pick<OrderLine, 'lineId' | 'sku' | 'qty' | 'unitPrice' | 'discount' | 'tax' | 'taxRate' | 'lineTotal'>;

/** The price of an order that no basket priced: each line keeps the share of its remaining units, and the shipping with its tax stays. */
export function sharedPrice(order: StoredOrder, remaining: Wanted['lines']): Price {
  const { currency } = order.totals.total;
  const lines = remaining.flatMap(({ lineId, qty }) => {
    const line = order.lines.find((one) => one.lineId === lineId);
    if (!line) return [];
    const isCalculated = line.taxRate !== undefined && order.priceSource !== 'given';
    const { lineTotal, tax, discount } = isCalculated ? sharedUntaxedUnits(line, qty, line.taxRate ?? 0) : sharedUnits(line, qty);
    return [{ ...line, qty, lineTotal: money(lineTotal, currency), tax: money(tax, currency), discount: money(discount, currency) }];
  });
  const sum = (of: (line: PricedLine) => number): number => lines.reduce((total, line) => total + of(line), 0);
  const { tax, taxes } = order.totals;
  const goods = sum(({ lineTotal }) => lineTotal.amount);
  const before = order.lines.reduce((total, line) => total + line.tax.amount, 0);
  return {
    lines,
    totals: {
      ...order.totals,
      subtotal: money(
        sum(({ qty, unitPrice }) => qty * unitPrice.amount),
        currency,
      ),
      discount: money(
        sum(({ discount }) => discount.amount),
        currency,
      ),
      tax: money(tax.amount - before + sum((line) => line.tax.amount), currency),
      taxes: taxes?.flatMap((row) => taxAfter(row, order.lines, lines)),
      total: money(goods + shippingOf(order.totals), currency),
    },
  };
}

/** Minor units that a line keeps for fewer units. */
function sharedUnits(line: OrderLine, qty: number) {
  const lineTotal = line.lineTotal.amount - valueOfUnits(line, line.qty - qty);
  const tax = line.tax.amount - floorShare(line.tax.amount, line.qty - qty, line.qty);
  const net = line.taxRate === undefined ? lineTotal : lineTotal - tax;
  return { lineTotal, tax, discount: qty * line.unitPrice.amount - net };
}

/** As `sharedUnits`, with the tax added to what is left after the discount. */
function sharedUntaxedUnits(line: OrderLine, qty: number, taxRate: number) {
  const discount = line.discount.amount - floorShare(line.discount.amount, line.qty - qty, line.qty);
  const net = qty * line.unitPrice.amount - discount;
  const tax = addedTax(net, taxRate);
  return { lineTotal: net + tax, tax, discount };
}

type TaxRow = NonNullable<StoredOrder['totals']['taxes']>[number];

/** A rate of the added tax after a change of the lines. The rate keeps its part of the shipping, and ends with its last line and part. */
function taxAfter(row: TaxRow, before: readonly PricedLine[], after: readonly PricedLine[]): TaxRow[] {
  const { currency } = row.tax;
  const sum = (lines: readonly PricedLine[], of: (line: PricedLine) => number): number =>
    lines.reduce((total, line) => (line.taxRate === row.rate ? total + of(line) : total), 0);
  const left = (of: (line: PricedLine) => number): number => sum(after, of) - sum(before, of);
  const taxable = row.taxable.amount + left(({ lineTotal, tax }) => lineTotal.amount - tax.amount);
  const tax = row.tax.amount + left((line) => line.tax.amount);
  if (taxable === 0 && !after.some(({ taxRate }) => taxRate === row.rate)) return [];
  return [{ ...row, taxable: money(taxable, currency), tax: money(tax, currency) }];
}

/** The lines of the order with their new units and prices. */
export const repriced = (order: StoredOrder, { lines }: Pick<Price, 'lines'>): OrderLine[] =>
  lines.flatMap(({ lineId, qty, discount, tax, taxRate, lineTotal }) => {
    const line = order.lines.find((one) => one.lineId === lineId);
    return line
      ? [
          servedFrom(
            { ...line, qty, discount, tax, taxRate, lineTotal },
            keptAt(line, qty).filter((at) => at.qty > 0),
          ),
        ]
      : [];
  });

/** Units that the customer no longer wants. */
export const removedBy = (order: StoredOrder, remaining: Wanted['lines']): NonNullable<Entry['removed']> =>
  order.lines.flatMap(({ lineId, sku, qty }) => {
    const gone = qty - (remaining.find((one) => one.lineId === lineId)?.qty ?? 0);
    return gone > 0 ? [{ lineId, sku, qty: gone }] : [];
  });

/** @throws Problem `validation_failed` for a delivery that costs more: the customer has authorised only what the order costs now */
export function refuseDearer(order: StoredOrder, { totals }: Pick<Price, 'totals'>, what: Entry['what']): void {
  const more = minus(totals.total, order.totals.total);
  if (more.amount <= 0) return;
  const member = { lines: '/lines', address: '/shippingAddress', 'shipping-method': '/shippingMethod', collection: '/collection' }[what];
  const detail = `The order "${order.id}" would cost ${moneyInWords(more)} more, and a change never makes an order dearer. Cancel it, and place a new order.`;
  throw invalid(member, 'costs_more', detail);
}

const costOf = ({ totals, collection }: Pick<StoredOrder, 'totals' | 'collection'>): Entry['before'] => ({
  total: totals.total,
  shipping: totals.shipping,
  readyBy: collection?.readyBy,
});

/** The difference between an order before and after a change. */
export function entryFor(
  before: StoredOrder,
  after: StoredOrder,
  about: Pick<Entry, 'at' | 'what' | 'removed'> & {
    readonly payments: readonly Payment[] | undefined;
    readonly figures: Pick<Figures, 'loyalty'>;
  },
): Entry {
  const { at, what, removed, payments, figures } = about;
  const { currency } = before.totals.total;
  const less = requiredFor(before) - requiredFor(after);
  const refund = payments ? Math.min(less, Math.max(0, securedIn(payments) - requiredFor(after))) : less;
  return {
    at,
    what,
    removed,
    before: costOf(before),
    after: costOf(after),
    refund: money(refund, currency),
    points: before.loyaltyAccountId === undefined || !payments ? undefined : pointsLost(before, after, { payments, refund, figures }),
  };
}

const securedIn = (payments: readonly Payment[]): number => payments.reduce((sum, payment) => sum + securedBy(payment), 0);

/** What a change gives back goes to tenders that earn points first. */
function pointsLost(
  before: StoredOrder,
  after: StoredOrder,
  { payments, refund, figures: { loyalty } }: { payments: readonly Payment[]; refund: number; figures: Pick<Figures, 'loyalty'> },
): number {
  const secured = (earnsNothing: boolean): number =>
    securedIn(payments.filter(({ tender }) => EARNS_NOTHING.has(tender.type) === earnsNothing));
  const earning = secured(false);
  const other = secured(true);
  const otherAfter = other - Math.max(0, refund - earning);
  const pointsFor = (goods: number, nothing: number): number => Math.floor(Math.max(0, goods - nothing) / loyalty.earnPer);
  return pointsFor(goodsOf(before.lines), other) - pointsFor(goodsOf(after.lines), otherAfter);
}

/** Whether two requests ask for the same. */
export const isSameChange = (one: Asked, other: Asked): boolean => isDeepStrictEqual(one, other);

/** Reserved units that the order no longer needs, per reservation and location. Each entry is released once. */
export function surplusOf(order: StoredOrder, removed: NonNullable<Entry['removed']>, number: number): PendingChange['surplus'] {
  const groups = new Map<string, NonNullable<PendingChange['surplus']>[number]>();
  for (const { lineId, sku, qty } of removed) {
    const line = order.lines.find((one) => one.lineId === lineId);
    const { reservationId } = line ?? {};
    if (!line || reservationId === undefined) continue;
    const kept = keptAt(line, line.qty - qty);
    for (const [index, { locationId, qty: before }] of nodesOf(line).entries()) {
      const gone = before - (kept[index]?.qty ?? 0);
      if (gone === 0) continue;
      const key = `${reservationId} ${locationId}`;
      const group = groups.get(key) ?? { reservationId, locationId, reference: `${order.id} change ${number} ${locationId}`, lines: [] };
      group.lines.push({ orderLineId: lineId, sku, qty: gone });
      groups.set(key, group);
    }
  }
  return groups.size > 0 ? [...groups.values()] : undefined;
}

/** What the order costs less. Of that, the customer gets back what was paid or authorised by then. */
export const lessBy = ({ before, after }: Pick<Entry, 'before' | 'after'>): number => before.total.amount - after.total.amount;

export const refundOfChange = (entry: Entry, number: number): { reference: string; amount: number; status: 'owed' }[] =>
  lessBy(entry) > 0 ? [{ reference: changeReference(number), amount: lessBy(entry), status: 'owed' }] : [];
