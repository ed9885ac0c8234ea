import type { OutputOf } from '../../shared/catalog/define.ts';
import { checkAvailability, releaseReservation, reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { sourceOf } from '../../shared/catalog/inventory/collection.ts';
import { getBasketHold } from '../../shared/catalog/inventory/internal.ts';
import { linesBySku, type SkuUnits } from '../../shared/catalog/lines-by-sku.ts';
import { isProblem, isUnknownOutcome, Problem, undefinedIf } from '../../shared/catalog/problems.ts';
import { digest } from '../../shared/domain/ids.ts';
import { instant } from '../../shared/domain/time.ts';
import type { Scope } from '../../shared/work/handler.ts';
import { type Basket, type CheckoutRecord, checkouts } from './collections.ts';

const TIMEOUT_MS = 5_000;

type HeldCheckout = CheckoutRecord & { readonly hold: NonNullable<CheckoutRecord['hold']> & { readonly expiresAt: string } };

/**
 * Reserves the stock of every line for the time of the checkout, all or nothing. The reservation is committed to the record before the
 * checkout continues, so that the due work that undoes the checkout can release it.
 * @param vouchers whether voucher uses will be locked next
 * @param collectAt the store where the customer collects the goods
 * @throws Problem 409 `insufficient_stock` with every SKU that is short; 503, 504
 */
export async function reserveStock(
  { work, call }: Scope,
  { basket, record, vouchers, collectAt }: { basket: Basket; record: CheckoutRecord; vouchers: boolean; collectAt?: string },
): Promise<HeldCheckout> {
  const { hold } = record;
  if (hold?.expiresAt !== undefined && hold.basketVersion === basket.version && record.vouchers === vouchers) {
    return { ...record, hold: { ...hold, expiresAt: hold.expiresAt } };
  }
  const items = basket.lines.map(({ sku, qty }) => ({ sku, qty }));
  const reservation = await retryLostAnswer(() =>
    call(
      reserveInventory,
      { body: { basketId: basket.id, items, collectAt, ttlSeconds: Math.ceil(work.figures.windowMs.checkoutHold / 1_000) } },
      { step: `checkout ${record.attempt} ${digest(JSON.stringify(items))}`, timeoutMs: TIMEOUT_MS },
    ),
  );
  const held = {
    reservationId: reservation.id,
    expiresAt: reservation.expiresAt ?? instant(work.now + work.figures.windowMs.checkoutHold),
    basketVersion: basket.version,
    from: collectAt === undefined ? undefined : sourceOf(reservation, collectAt),
  };
  const next = work.put(checkouts, { ...record, hold: held, vouchers: record.vouchers || vouchers });
  await work.checkpoint();
  return { ...next, hold: held };
}

/** Releases a reservation. A reservation that is unknown, or that an order has consumed, needs no release. */
export async function giveBackReservation({ call }: Scope, reservationId: string): Promise<void> {
  try {
    await call(releaseReservation, { params: { id: reservationId } }, { timeoutMs: TIMEOUT_MS });
  } catch (error) {
    if (error instanceof Problem && !error.retryable && (error.status === 404 || error.status === 409)) return;
    throw error;
  }
}

/** Repeats a call once, under the same key, when its answer was lost. @throws the Problem of the call */
export async function retryLostAnswer<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (lost) {
    if (!isUnknownOutcome(lost)) throw lost;
    return call().catch((error: unknown) => {
      throw isProblem(error, 'idempotency_in_progress') ? lost : error;
    });
  }
}

const TILL_TIMEOUT_MS = 4_000;
/**
 * Maximum number of attempts to reserve. An attempt fails only when a concurrent sale takes units of the same store, so a few are enough.
 */
const MAX_ROUNDS = 10;

type Hold = NonNullable<OutputOf<typeof getBasketHold>['reservation']>;

interface StoreStockRequest {
  readonly basketId: string;
  /** Version of the basket; 0 when the transaction creates it. */
  readonly basketVersion: number;
  readonly locationId: string;
  readonly lines: readonly SkuUnits[];
}

/**
 * Reserves the units of each SKU that the store has, without a time limit. A sale is never refused for stock, because the goods lie on
 * the counter. Each request to the SIM is committed before it is made, so that the due work that undoes the checkout can repeat it.
 * @returns the record, without a reservation when the store has none of the goods
 * @throws Problem 503, 504
 */
export async function reserveStoreStock(scope: Scope, record: CheckoutRecord, request: StoreStockRequest): Promise<CheckoutRecord> {
  const { work } = scope;
  const { basketId, basketVersion } = request;
  if (record.hold?.basketVersion === basketVersion) return record;
  let current = record;
  if (current.hold) {
    await giveBackReservation(scope, current.hold.reservationId);
    current = { ...current, hold: undefined, asked: undefined };
  }
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (!current.asked) current = await commitNextRequest(scope, current, request);
    if (!current.asked) return current;
    const reservationId = await reserve(scope, basketId, current);
    if (reservationId !== undefined) {
      const held = work.put(checkouts, { ...current, asked: undefined, hold: { reservationId, basketVersion } });
      await work.checkpoint();
      return held;
    }
    current = { ...current, asked: undefined };
  }
  scope.log.warn({ basketId, rounds: MAX_ROUNDS }, 'other sales took the stock in each round: sold without a reservation');
  return work.put(checkouts, current);
}

/** Commits the next request to the SIM; `asked` stays undefined when the store has none of the goods. */
async function commitNextRequest(scope: Scope, record: CheckoutRecord, request: StoreStockRequest): Promise<CheckoutRecord> {
  const clientReservation = await readClientReservation(scope, request);
  const items = await readUnitsToReserve(scope, request, clientReservation);
  // This reservation is released first: a sale that reserves nothing would never release it.
  if (items.length === 0 && clientReservation) await giveBackReservation(scope, clientReservation.id);
  const next = scope.work.put(checkouts, {
    ...record,
    asked: items.length > 0 ? { locationId: request.locationId, items } : undefined,
    round: (record.round ?? 0) + 1,
  });
  await scope.work.checkpoint();
  return next;
}

/** The reservation that a client made for the basket before it came to the till. */
async function readClientReservation({ call }: Scope, { basketId, basketVersion }: StoreStockRequest): Promise<Hold | undefined> {
  if (basketVersion === 0) return undefined;
  return (await call(getBasketHold, { params: { basketId } }, { timeoutMs: TILL_TIMEOUT_MS })).reservation;
}

/** Units of a SKU that a reservation still has at a location. */
const heldUnits = (hold: Hold | undefined, sku: string, locationId: string): number =>
  (hold?.allocations ?? [])
    .filter((allocation) => allocation.sku === sku && allocation.locationId === locationId)
    .reduce((sum, { qty, fulfilledQty, cancelledQty }) => sum + qty - fulfilledQty - cancelledQty, 0);

/** Units per SKU. Units with a label have separate lines, and share the stock of their SKU. */
function unlabelled(lines: readonly SkuUnits[]): SkuUnits[] {
  const units = lines.map(({ sku, qty }) => ({ sku, qty }));
  return linesBySku(units, '/lines');
}

/** The units to reserve per SKU, at most the store’s ATP plus the client’s reservation there. SKUs with 0 are left out. */
async function readUnitsToReserve(
  { call }: Scope,
  { lines, locationId }: StoreStockRequest,
  clientReservation: Hold | undefined,
): Promise<SkuUnits[]> {
  const units = await Promise.all(
    unlabelled(lines).map(async ({ sku, qty }) => {
      const input = { params: { sku }, query: { qty, locationId } };
      // No location has ever had an unknown SKU.
      const found = await call(checkAvailability, input, { timeoutMs: TILL_TIMEOUT_MS }).catch(undefinedIf('not_found'));
      return { sku, qty: Math.min(qty, Math.max(0, found?.atp ?? 0) + heldUnits(clientReservation, sku, locationId)) };
    }),
  );
  return units.filter(({ qty }) => qty > 0);
}

/** @returns undefined when another sale took the stock first */
async function reserve({ call }: Scope, basketId: string, { attempt, round, asked }: CheckoutRecord): Promise<string | undefined> {
  if (!asked) return undefined;
  const { locationId, items } = asked;
  const body = { basketId, items: [...items], locationId, ttlSeconds: null };
  const options = { intent: `till hold ${basketId}`, step: `${attempt}.${round}`, timeoutMs: TILL_TIMEOUT_MS };
  const answer = retryLostAnswer(() => call(reserveInventory, { body }, options));
  return (await answer.catch(undefinedIf('insufficient_stock')))?.id;
}

/** Repeats a request whose answer is missing, under the same key. @returns the id of its reservation, if any @throws Problem 503, 504 */
export async function recoverReservation(scope: Scope, basketId: string, record: CheckoutRecord): Promise<string | undefined> {
  try {
    return await reserve(scope, basketId, record);
  } catch (error) {
    // The basket has ended, so the SIM has refused the request and reserves nothing for it.
    if (isProblem(error, 'invalid_state_transition') && !error.retryable) return undefined;
    throw error;
  }
}
