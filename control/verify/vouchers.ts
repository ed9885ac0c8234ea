import { type Check, findings, grouped, type InvariantResult } from './invariant.ts';
import type { Basket, Order } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

/** A voucher as the Promotion Engine stores it. */
interface Voucher {
  readonly id: string;
  readonly voucher: { readonly usageLimit?: number };
}

/** The voucher uses of a basket as the Promotion Engine stores them. */
interface BasketUses {
  readonly id: string;
  readonly state: 'locked' | 'redeemed' | 'released';
  readonly codes: readonly { readonly code: string; readonly accepted: boolean }[];
}

type StoredOrder = Order & { readonly voucherCodes: readonly string[] };

export function vouchers(world: WorldRecords): InvariantResult {
  const { check, result } = findings('vouchers');
  const uses = world.records<BasketUses>('promotion-engine', 'basket-vouchers');
  checkUses(world, uses, check);
  checkHolders(world, uses, check);
  return result();
}

/** Codes whose uses a basket holds. */
const heldBy = ({ state, codes }: BasketUses): readonly string[] =>
  state === 'released' ? [] : codes.filter(({ accepted }) => accepted).map(({ code }) => code);

function checkUses({ records, counters }: WorldRecords, uses: readonly BasketUses[], check: Check): void {
  const held = grouped(uses.flatMap(heldBy), (code) => code);
  const counted = counters('promotion-engine', 'voucher-uses');
  const limits = new Map(records<Voucher>('promotion-engine', 'vouchers').map(({ id, voucher }) => [id, voucher.usageLimit]));
  for (const code of new Set([...limits.keys(), ...held.keys(), ...Object.keys(counted)])) {
    const { used = 0, preset = 0, left = 0 } = counted[code] ?? {};
    const holders = held.get(code)?.length ?? 0;
    check(preset >= 0, `voucher/${code}: ${preset} uses are preset`);
    check(
      used === preset + holders,
      `voucher/${code}: used ${used} times; ${preset} uses are preset, and checkouts and orders hold ${holders}`,
    );
    const limit = limits.get(code);
    const rest = limit === undefined ? 0 : limit - used;
    check(left === rest && rest >= 0, `voucher/${code}: ${left} of ${limit ?? 'unlimited'} uses are left after ${used}`);
  }
}

/** A basket holds its uses for a checkout or an order, and an order holds its uses until it is cancelled. */
function checkHolders({ of, queued }: WorldRecords, uses: readonly BasketUses[], check: Check): void {
  const baskets = new Map(of<Basket>('basket').map((basket) => [basket.id, basket]));
  // An order with given prices has no basket, and no vouchers.
  const orders = grouped(of<StoredOrder>('order'), ({ basketId = '' }) => basketId);
  const heldAt = new Map(uses.map((one) => [one.id, heldBy(one)]));
  for (const one of uses) {
    const codes = heldBy(one);
    if (codes.length === 0) continue;
    const ofBasket = orders.get(one.id) ?? [];
    const isHeld = ofBasket.length > 0 ? ofBasket.some(({ state }) => state !== 'cancelled') : isCheckedOut(baskets.get(one.id));
    const isGoingBack = queued('ecommerce-platform', one.id) || ofBasket.some(({ id }) => queued('oms', id));
    check(
      isHeld || isGoingBack,
      `basket/${one.id}: holds a use of ${codes.join(', ')} without a checkout or an order, and nothing will return it`,
    );
  }
  for (const { id, state, basketId, voucherCodes } of [...orders.values()].flat()) {
    if (state === 'cancelled') continue;
    const missing = voucherCodes.filter((code) => !heldAt.get(basketId ?? '')?.includes(code.toUpperCase()));
    check(missing.length === 0, `order/${id}: ${state}, and holds no use of its vouchers ${missing.join(', ')}`);
  }
}

const isCheckedOut = (basket: Basket | undefined): boolean => basket?.state === 'locked' || basket?.state === 'converted';
