import type { OutputOf } from '../../../shared/catalog/define.ts';
import { checkAvailability, reserveInventory } from '../../../shared/catalog/inventory/apis.ts';
import { getBasketHold } from '../../../shared/catalog/inventory/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { Wanted } from '../basket/lines.ts';
import { releaseHold } from '../checkout/holds.ts';
import { askTwice } from '../checkout/record.ts';
import { type CheckoutRecord, checkouts } from '../collections.ts';

const PATIENCE_MS = 4_000;
/** Each lost round means that somebody else took units of the same store, so that few rounds are ever needed. */
const MAX_ROUNDS = 10;

type Hold = NonNullable<OutputOf<typeof getBasketHold>['reservation']>;

export interface TillHold {
  readonly basketId: string;
  /** Of the basket as it was when the hold was asked for; 0 for one that is created. */
  readonly basketVersion: number;
  readonly locationId: string;
  readonly lines: readonly Wanted[];
}

/**
 * Holds what the store has of each SKU, without a time limit. A sale is never refused for stock: the goods lie on the counter. What
 * is asked for is committed before the SIM is asked, so that whoever undoes the checkout can ask for the same.
 * @returns the record, with its hold unless the store has nothing at all
 * @throws Problem 503, 504
 */
export async function holdAtStore(scope: Scope, record: CheckoutRecord, wanted: TillHold): Promise<CheckoutRecord> {
  const { work } = scope;
  if (record.hold?.basketVersion === wanted.basketVersion) return record;
  let current = record;
  if (current.hold) {
    await releaseHold(scope, current.hold.reservationId);
    current = { ...current, hold: undefined, asked: undefined };
  }
  for (let lost = 0; lost < MAX_ROUNDS; lost++) {
    if (!current.asked) current = await askFor(scope, current, wanted);
    if (!current.asked) return current;
    const reservationId = await reserve(scope, wanted.basketId, current);
    if (reservationId !== undefined) {
      const held = work.put(checkouts, { ...current, asked: undefined, hold: { reservationId, basketVersion: wanted.basketVersion } });
      await work.checkpoint();
      return held;
    }
    current = { ...current, asked: undefined };
  }
  scope.log.warn({ basketId: wanted.basketId, rounds: MAX_ROUNDS }, 'others were faster each time: sold without a hold');
  return work.put(checkouts, current);
}

/** Commits what the SIM is asked for next: nothing when the store has nothing. */
async function askFor(scope: Scope, record: CheckoutRecord, wanted: TillHold): Promise<CheckoutRecord> {
  const byHand = await holdByHand(scope, wanted);
  const items = await heldAtMost(scope, wanted, byHand);
  // It would stay beside a sale that knows nothing of it.
  if (items.length === 0 && byHand) await releaseHold(scope, byHand.id);
  const next = scope.work.put(checkouts, {
    ...record,
    asked: items.length > 0 ? { locationId: wanted.locationId, items } : undefined,
    round: (record.round ?? 0) + 1,
  });
  await scope.work.checkpoint();
  return next;
}

/** What somebody had held for the basket before it came to the till: the till takes it over. */
async function holdByHand({ call }: Scope, { basketId, basketVersion }: TillHold): Promise<Hold | undefined> {
  if (basketVersion === 0) return undefined;
  return (await call(getBasketHold, { params: { basketId } }, { timeoutMs: PATIENCE_MS })).reservation;
}

/** Units of a SKU that a hold has at a location. */
const unitsOf = (hold: Hold | undefined, sku: string, locationId: string): number =>
  (hold?.allocations ?? [])
    .filter((held) => held.sku === sku && held.locationId === locationId)
    .reduce((sum, { qty, fulfilledQty, cancelledQty }) => sum + qty - fulfilledQty - cancelledQty, 0);

/** min(qty, ATP and what the basket holds there) of each SKU at the store, without those of which it has none. */
async function heldAtMost({ call }: Scope, { lines, locationId }: TillHold, byHand: Hold | undefined): Promise<Wanted[]> {
  const held = await Promise.all(
    lines.map(async ({ sku, qty }) => {
      const atp = await call(checkAvailability, { params: { sku }, query: { qty, locationId } }, { timeoutMs: PATIENCE_MS }).then(
        (found) => found.atp,
        unlessUnknown,
      );
      return { sku, qty: Math.min(qty, Math.max(0, atp) + unitsOf(byHand, sku, locationId)) };
    }),
  );
  return held.filter(({ qty }) => qty > 0);
}

/** A SKU that no node has ever held. */
function unlessUnknown(error: unknown): number {
  if (error instanceof Problem && error.code === 'not_found') return 0;
  throw error;
}

/** @returns undefined when somebody else was faster */
async function reserve({ call }: Scope, basketId: string, { attempt, round, asked }: CheckoutRecord): Promise<string | undefined> {
  if (!asked) return undefined;
  const { locationId, items } = asked;
  try {
    const reservation = await askTwice(() =>
      call(
        reserveInventory,
        { body: { basketId, items: [...items], locationId, ttlSeconds: null } },
        { intent: `till hold ${basketId}`, step: `${attempt}.${round}`, timeoutMs: PATIENCE_MS },
      ),
    );
    return reservation.id;
  } catch (error) {
    if (error instanceof Problem && error.code === 'insufficient_stock') return undefined;
    throw error;
  }
}

/** The hold whose answer never came: asked for once more under the same key, it is there or it is not. @throws Problem 503, 504 */
export async function lostHold(scope: Scope, basketId: string, record: CheckoutRecord): Promise<string | undefined> {
  return reserve(scope, basketId, record);
}
