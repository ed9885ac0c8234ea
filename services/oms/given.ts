import { listSoldProducts } from '../../shared/catalog/commerce/internal.ts';
import { getCustomer } from '../../shared/catalog/customer/apis.ts';
import { putParty } from '../../shared/catalog/customer/internal.ts';
import type { InputOf, OutputOf } from '../../shared/catalog/define.ts';
import { reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { noCollectionAt, sourceOf } from '../../shared/catalog/inventory/collection.ts';
import { getCollectionPoint, releaseHolds } from '../../shared/catalog/inventory/internal.ts';
import type { createOrder } from '../../shared/catalog/order/apis.ts';
import { invalid, isDependencyProblem, isProblem, Problem } from '../../shared/catalog/problems.ts';
import { instant } from '../../shared/domain/time.ts';
import { endReference, findReference, type ReferenceRecord, takeReference, timesTaken } from '../../shared/handlers/references.ts';
import { handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { refuseBlockedCustomer } from './baskets.ts';
import { orders, type StoredOrder } from './collections.ts';
import { DECIDE_TIMEOUT_MS, expireDraftDue, TAKE_OVER_MS, undoGivenOrderDue } from './due-work.ts';
import { givenPrices } from './given-prices.ts';
import { itemsOf, linesHeldBy, type OrderLine, type Reservation } from './lines.ts';
import { findFreeNumber } from './order-numbers.ts';

/*
 * Orders with given prices: another system has taken them. They have no basket, so the OMS itself reserves the stock, identifies the customer and
 * finds the place of collection.
 */

type Body = InputOf<typeof createOrder>['body'];
type GivenBody = Body & Required<Pick<Body, 'lines' | 'reference'>>;

export const isGiven = (body: Body): body is GivenBody => body.lines !== undefined;

/**
 * Creates an order with given prices. The reference is bound to the id of the order first, and names what undoes an interrupted creation. A
 * repeat in the meantime continues with the same order. The reservation expires as after a checkout; Confirm Order then takes the stock again.
 * @returns the draft order, or a refusal with the reference released
 * @throws Problem that leaves open whether stock is reserved; the same request then continues
 */
export async function createGivenOrder(body: GivenBody, scope: Scope): Promise<StoredOrder | Problem> {
  const { work } = scope;
  const before = await findReference(work, 'order', body.reference);
  const id = before?.source ?? work.id('ord', `given ${await timesTaken(work, 'order', body.reference)}`);
  const asked = await readAsked(id, body, scope);
  if (!before) {
    takeReference(work, 'order', body, { source: id });
    work.schedule(undoGivenOrderDue, id, work.now + TAKE_OVER_MS, { reference: body.reference });
    await work.checkpoint();
  }
  try {
    const customer = asked.customer ?? (await identify(id, body, scope));
    return await store({ ...asked, customer }, body, scope);
  } catch (error) {
    if (!(error instanceof Problem) || error.retryable || isDependencyProblem(error)) throw error;
    const record = await boundTo(work, id, body.reference);
    if (!record) throw error;
    endReference(work, record, undefined);
    work.cancel(undoGivenOrderDue, id);
    return error;
  }
}

/** The record of a reference while it belongs to the creation of this order. */
async function boundTo(work: UnitOfWork, id: string, reference: Body['reference']): Promise<ReferenceRecord | undefined> {
  const record = await findReference(work, 'order', reference);
  return record?.source === id ? record : undefined;
}

type Customer = OutputOf<typeof getCustomer>;
type Point = OutputOf<typeof getCollectionPoint>;

/** The requested order, with all that other applications store about it. */
interface AskedOrder {
  readonly id: string;
  readonly lines: readonly OrderLine[];
  readonly totals: StoredOrder['totals'];
  readonly customer: Customer | undefined;
  readonly point: Point | undefined;
}

/** Reads, and changes nothing. @throws Problem `validation_failed`, `customer_blocked`, `not_found` for a customer, `dependency_*` */
async function readAsked(id: string, body: GivenBody, scope: Scope): Promise<AskedOrder> {
  const { customerId, collection } = body;
  const { lines, totals } = givenPrices(body, scope.work.figures.currency);
  const ages = await readProducts(body, scope);
  const ordered = lines.map((line, index) => ({
    lineId: `${id}-${index + 1}`,
    ...line,
    minAge: ages.get(line.sku),
    fulfilledQty: 0,
    returnedQty: 0,
    cancelledQty: 0,
  }));
  const customer = customerId === undefined ? undefined : await scope.call(getCustomer, { params: { id: customerId } });
  if (customer) refuseBlockedCustomer(customer);
  const point = collection && (await readPoint(collection.locationId, scope));
  return { id, lines: ordered, totals, customer, point };
}

/** Minimum ages by SKU. @throws Problem `validation_failed` for a product that is unknown, or that customers have never seen */
async function readProducts({ lines }: GivenBody, { call }: Scope): Promise<Map<string, number | undefined>> {
  const skus = lines.map(({ sku }) => sku);
  const { items } = await call(listSoldProducts, { body: { skus } }, { timeoutMs: DECIDE_TIMEOUT_MS });
  const ages = new Map(items.map(({ sku, minAge }) => [sku, minAge]));
  const unknown = skus.findIndex((sku) => !ages.has(sku));
  if (unknown < 0) return ages;
  const detail = `No product that customers can see has the SKU "${skus[unknown]}". List Products has all SKUs; map the SKU of your system to one of them.`;
  throw invalid(`/lines/${unknown}/sku`, 'unknown_sku', detail);
}

async function readPoint(id: string, { call }: Scope): Promise<Point> {
  try {
    return await call(getCollectionPoint, { params: { id } }, { timeoutMs: DECIDE_TIMEOUT_MS });
  } catch (error) {
    throw isProblem(error, 'not_found') ? noCollectionAt('/collection/locationId', id) : error;
  }
}

/** A contact identifies the customer: the CRM stores one for each order. @throws Problem `customer_blocked`, `dependency_*` */
async function identify(id: string, { contact }: GivenBody, { call }: Scope): Promise<Customer | undefined> {
  if (!contact) return undefined;
  const customer = await call(putParty, { params: { basketId: id }, body: { contact } }, { intent: id });
  refuseBlockedCustomer(customer);
  return customer;
}

/** Reserves the stock, and stores the draft with it. Every attempt sends the same call, so the stock is reserved once. */
async function store(asked: AskedOrder, body: GivenBody, scope: Scope): Promise<StoredOrder> {
  const { work } = scope;
  const { id, lines, totals, customer, point } = asked;
  const reservation = await reserve(asked, scope);
  const record = await boundTo(work, id, body.reference);
  if (!record) {
    throw new Problem('contention', `The creation of the order "${id}" took too long, and was undone; repeat the request.`, {
      objectType: 'order',
      id,
    });
  }
  endReference(work, record, id);
  work.cancel(undoGivenOrderDue, id);
  work.schedule(expireDraftDue, id, work.now + work.figures.windowMs.draftOrder, {});
  const { channel = 'web', shippingAddress, shippingMethod = 'STANDARD', collection, reference, metadata } = body;
  return work.create(orders, 'create', {
    id,
    orderNumber: await findFreeNumber(work, { orderId: id }),
    channel,
    priceSource: 'given',
    customerId: customer?.id,
    loyaltyAccountId: customer?.loyaltyAccountId,
    lines: linesHeldBy(lines, reservation.id),
    totals,
    shippingAddress,
    shippingMethod: shippingAddress && shippingMethod,
    collection: point && { locationId: point.locationId, person: collection?.person, readyBy: readyBy(point, reservation) },
    validatedAt: instant(work.now),
    reference,
    metadata,
    voucherCodes: [],
    holdAttempts: 1,
  });
}

const readyBy = (point: Point, reservation: Reservation): string =>
  sourceOf(reservation, point.locationId) === 'transfer' ? (point.transferReadyBy ?? point.readyBy) : point.readyBy;

async function reserve({ id, lines, point }: AskedOrder, { call }: Scope): Promise<Reservation> {
  const body = { orderId: id, items: itemsOf(lines), collectAt: point?.locationId };
  try {
    return await call(reserveInventory, { body }, { intent: id, step: 'hold 1', timeoutMs: DECIDE_TIMEOUT_MS });
  } catch (error) {
    if (!isProblem(error, 'insufficient_stock', 'not_found')) throw error;
    const detail = `The order lacks stock: ${error.message} Nothing is reserved, and no order is created. Send the request again when the goods are back, or cancel the order in your system.`;
    throw new Problem('insufficient_stock', detail, { skus: error.context['skus'] ?? [] });
  }
}

/** Undoes a creation that was interrupted before the order was stored: its stock is released, and the reference is free again. */
export const undoGivenOrder = handleDue(undoGivenOrderDue)(async ({ key: id, payload: { reference } }, { work, call }) => {
  const record = await boundTo(work, id, reference);
  if (!record) return;
  await call(releaseHolds, { body: { order: { id, state: 'cancelled' } } });
  endReference(work, record, undefined);
});
