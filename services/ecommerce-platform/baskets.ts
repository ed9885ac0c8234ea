import { addLineToBasket, changeBasketLine, createBasket, getBasket, removeBasketLine } from '../../shared/catalog/commerce/apis.ts';
import { getBasket as getBasketCall, listCustomerBaskets as listCustomerBasketsCall } from '../../shared/catalog/commerce/internal.ts';
import { basketLifeCycle } from '../../shared/catalog/commerce/objects.ts';
import { getCustomer } from '../../shared/catalog/customer/apis.ts';
import { putParty } from '../../shared/catalog/customer/internal.ts';
import type { InputOf } from '../../shared/catalog/define.ts';
import { releaseHolds as releaseHoldsCall } from '../../shared/catalog/inventory/internal.ts';
import { rowFor } from '../../shared/catalog/life-cycle.ts';
import { MOST_LOCATIONS_PER_LINE } from '../../shared/catalog/limits.ts';
import type { SkuUnits } from '../../shared/catalog/lines-by-sku.ts';
import { invalid, notFound, Problem } from '../../shared/catalog/problems.ts';
import type { Figures } from '../../shared/catalog/retailer.ts';
import { instant } from '../../shared/domain/time.ts';
import { findNamed, refusingOnlyWhileFree, takeReference } from '../../shared/handlers/references.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { checkoutOf } from './checkout-record.ts';
import { type Basket, baskets } from './collections.ts';
import { type Customer, isGuest } from './customer.ts';
import { basketIdle, releaseHolds } from './due-work.ts';
import {
  addToLines,
  currentPrices,
  priceLines,
  priceOpenBasket,
  pricesForSale,
  type RequestedUnits,
  type UnpricedLine,
} from './pricing.ts';
import { bySku, productBySku, readAvailability, refuseUnlessSellable } from './products.ts';
import { placeOfAddress } from './tax-place.ts';

type Body = InputOf<typeof createBasket>['body'];

export const createBasketHandler = handle(createBasket)(async ({ body }, scope) => {
  const { work } = scope;
  const existing = await findNamed(work, 'basket', baskets, body);
  if (existing) return again(existing);
  return refusingOnlyWhileFree(work, 'basket', body, () => createBasketFrom(body, scope));
});

async function createBasketFrom(body: Body, scope: Scope): Promise<Basket> {
  const { work } = scope;
  const { channel, currency = work.figures.currency, lines = [], mergeBasketIds = [] } = body;
  const id = work.id('bsk');
  const basketsToMerge = await openBaskets(work, mergeBasketIds);
  for (const basket of basketsToMerge) await refuseBasketOfAnother(scope, basket, body);
  const requested: RequestedUnits[] = [
    ...(await bySku(work, lines, (index) => `/lines/${index}`)).map((line, index) => ({ ...line, pointer: `/lines/${index}/qty` })),
    ...basketsToMerge.flatMap((basket) =>
      basket.lines.map((line) => ({ ...line, pointer: `/mergeBasketIds/${mergeBasketIds.indexOf(basket.id)}` })),
    ),
  ];
  const unpriced = addToLines(id, [], requested);
  const withoutDiscount = await pricesForSale(work, unpriced, body.destination);
  const customer = await readOrCreateCustomer(scope, id, body.customerId);
  const destination = body.destination ?? destinationOf(customer, work.figures);
  const prices = await priceOpenBasket(
    scope,
    destination === body.destination ? withoutDiscount : await currentPrices(work, unpriced, destination),
  );
  for (const basket of basketsToMerge) mergeInto(work, basket, id);
  takeReference(work, 'basket', body, { objectId: id });
  return work.create(baskets, 'create', {
    id,
    channel,
    currency,
    customerId: customer.id,
    loyaltyAccountId: customer.loyaltyAccountId,
    destination,
    ...prices,
    expiresAt: restartIdleTimer(work, id),
    reference: body.reference,
    metadata: body.metadata,
  });
}

/** The first address of a customer decides the tax that is estimated. */
const destinationOf = ({ addresses: [first] }: Pick<Customer, 'addresses'>, { taxIncluded }: Pick<Figures, 'taxIncluded'>) =>
  taxIncluded || !first ? undefined : placeOfAddress(first);

/** @throws Problem 404; 409 for a basket that is not open */
async function openBaskets(work: UnitOfWork, ids: readonly string[]): Promise<Basket[]> {
  const found: Basket[] = [];
  for (const id of new Set(ids)) {
    const basket = await requireObject(work, baskets, id);
    rowFor(basketLifeCycle, basket, 'merge');
    found.push(basket);
  }
  return found;
}

/**
 * The basket of a registered customer is merged only for this customer. Anybody with its id may merge the basket of a guest.
 * @throws Problem `validation_failed` without any data of the other customer; 503, 504
 */
async function refuseBasketOfAnother({ call }: Scope, { id, customerId: owner }: Basket, { mergeBasketIds = [], customerId }: Body) {
  if (owner === undefined || owner === customerId) return;
  if (isGuest(await call(getCustomer, { params: { id: owner } }))) return;
  throw invalid(
    `/mergeBasketIds/${mergeBasketIds.indexOf(id)}`,
    'basket_of_another',
    `The basket "${id}" belongs to another registered customer. Leave it out, or name its customer in customerId.`,
  );
}

/** The customer of the request, or an anonymous party for this basket. @throws Problem 404, 503, 504 */
const readOrCreateCustomer = ({ call }: Scope, basketId: string, customerId: string | undefined) =>
  customerId === undefined ? call(putParty, { params: { basketId } }) : call(getCustomer, { params: { id: customerId } });

/**
 * The lines move to the other basket. A reservation that a client made for the merged basket does not move with them, so it is released.
 */
function mergeInto(work: UnitOfWork, basket: Basket, mergedInto: string): void {
  work.cancel(basketIdle, basket.id);
  work.schedule(releaseHolds, basket.id, work.now, null, { beforeReply: true });
  work.transition(baskets, basket, 'merge', {
    ...priceLines([], work.figures),
    vouchers: [],
    promotionsStatus: undefined,
    taxStatus: undefined,
    mergedInto,
    expiresAt: undefined,
  });
}

export const addLineHandler = handle(addLineToBasket)(async ({ params, body }, scope) => {
  const { work } = scope;
  const basket = await requireObject(work, baskets, params.id);
  rowFor(basketLifeCycle, basket, 'add-line');
  const added = (await bySku(work, [body], () => '')).map((line) => ({ ...line, pointer: '/qty' }));
  const lines = addToLines(basket.id, basket.lines, added);
  const line = lines.find(({ sku }) => sku === added[0]?.sku);
  if (line) await refuseUnlessForSale(scope, line);
  return repriced(scope, { basket, verb: 'add-line', lines });
});

export const changeLineHandler = handle(changeBasketLine)(async ({ params, body: { qty } }, scope) => {
  const basket = await requireObject(scope.work, baskets, params.id);
  rowFor(basketLifeCycle, basket, 'change-line');
  const line = requireLine(basket, params.lineId);
  if (qty > line.qty) await refuseUnlessForSale(scope, { ...line, qty });
  const lines = basket.lines.map((one) => (one === line ? { ...one, qty } : one));
  return repriced(scope, { basket, verb: 'change-line', lines });
});

export const removeLineHandler = handle(removeBasketLine)(async ({ params }, scope) => {
  const basket = await requireObject(scope.work, baskets, params.id);
  rowFor(basketLifeCycle, basket, 'remove-line');
  const line = requireLine(basket, params.lineId);
  return repriced(scope, { basket, verb: 'remove-line', lines: basket.lines.filter((one) => one !== line) });
});

/** @throws Problem 404 */
function requireLine({ id, lines }: Basket, lineId: string): Basket['lines'][number] {
  const line = lines.find((one) => one.lineId === lineId);
  if (!line) throw notFound(`line of the basket "${id}"`, lineId);
  return line;
}

interface ChangedLines {
  readonly basket: Basket;
  readonly verb: 'add-line' | 'change-line' | 'remove-line';
  readonly lines: readonly UnpricedLine[];
}

async function repriced(scope: Scope, { basket, verb, lines }: ChangedLines): Promise<Basket> {
  const { work } = scope;
  const prices = await priceOpenBasket(scope, await currentPrices(work, lines, basket.destination));
  return work.transition(baskets, basket, verb, { ...prices, expiresAt: restartIdleTimer(work, basket.id) });
}

/** @throws Problem 404; 409 for a product that is not sold, or without the units */
async function refuseUnlessForSale(scope: Scope, { sku, qty }: SkuUnits): Promise<void> {
  refuseUnlessSellable(await productBySku(scope.work, sku));
  await refuseUnlessAvailable(scope, sku, qty);
}

/**
 * The best location must have all units, or several locations together if the retailer splits lines. If the Inventory Service does not answer, the line is accepted.
 * @throws Problem 409 `insufficient_stock`
 */
async function refuseUnlessAvailable(scope: Scope, sku: string, requested: number): Promise<void> {
  const found = await readAvailability(scope, sku, requested);
  if (!found || found.maxPerLine >= requested) return;
  const available = Math.max(0, found.maxPerLine);
  const detail = scope.work.figures.splitLines
    ? `The locations have too few of "${sku}": ${requested} requested, ${available} at the best ${MOST_LOCATIONS_PER_LINE} together.`
    : `No location has ${requested} of "${sku}"; the best location has ${available}.`;
  throw new Problem('insufficient_stock', detail, { skus: [{ sku, requested, available }] });
}

export const getBasketHandler = handle(getBasket)(({ params }, { work }) => requireObject(work, baskets, params.id));

export const getBasketCallHandler = handle(getBasketCall)(async ({ params }, { work }) => {
  const basket = await requireObject(work, baskets, params.id);
  const record = await checkoutOf(work, basket.id);
  return record?.phase === 'running' ? { ...basket, checkoutUnderWay: true } : basket;
});

const MAX_BASKETS = 20;

/** Open and locked baskets, newest first. */
export const listCustomerBasketsHandler = handle(listCustomerBasketsCall)(async ({ query }, { work, breathe }) => ({
  items: [...(await work.find(baskets, 'customer', query.customerId, { limit: MAX_BASKETS, newestFirst: true, breathe })).items],
}));

/** Restarts the idle time of an open basket. @returns its `expiresAt` */
export function restartIdleTimer(work: UnitOfWork, basketId: string): string {
  const at = work.now + work.figures.windowMs.basketIdle;
  work.schedule(basketIdle, basketId, at, null);
  return instant(at);
}

/** Every change of an open basket restarts the timer, so the basket has been unchanged for the whole idle time. */
export const abandonIdleBasket = handleDue(basketIdle)(async ({ key }, { work }) => {
  const basket = await work.get(baskets, key);
  if (basket?.state !== 'open') return;
  // A client may have reserved stock for it, and confirmed that reservation.
  work.schedule(releaseHolds, key, work.now, null);
  work.transition(baskets, basket, 'abandon', { expiresAt: undefined });
});

/** Releases the stock of a merged or abandoned basket: explicit reservations of clients, and the reservation of its transaction. */
export const releaseReservationsOfBasket = handleDue(releaseHolds)(async ({ key: basketId }, { work, call }) => {
  const basket = await work.get(baskets, basketId);
  if (!basket) return;
  const { id, state, transactionId } = basket;
  await call(releaseHoldsCall, {
    body: { basket: { id, state }, ...(transactionId !== undefined && { order: { id: transactionId, state: 'cancelled' } }) },
  });
});
