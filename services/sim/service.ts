import type { Fixtures } from '../../fixtures/files.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { confirmReservation } from './apis/confirm-reservation.ts';
import { getInventory } from './apis/get-inventory.ts';
import { releaseReservation } from './apis/release-reservation.ts';
import { reserveInventory } from './apis/reserve-inventory.ts';
import { attempts, basketAttempts, endedOwners, fulfillmentHolds, movements, reservations } from './collections.ts';
import { abortHold } from './due/abort-hold.ts';
import { expireReservation } from './due/expire-reservation.ts';
import { giveBackStock } from './due/give-back-stock.ts';
import { moveStock } from './due/move-stock.ts';
import { getBasketHold } from './internal/get-basket-hold.ts';
import { getReservation } from './internal/get-reservation.ts';
import { listOrderHolds } from './internal/list-order-holds.ts';
import { moveReservation } from './internal/move-reservation.ts';
import { recordReservation } from './internal/record-reservation.ts';
import { releaseHolds } from './internal/release-holds.ts';

export const service = defineService({
  application: 'sim',
  collections: [reservations, attempts, basketAttempts, endedOwners, fulfillmentHolds, movements],
  counters: [],
  apis: {
    'reserve-inventory-api': reserveInventory,
    'confirm-reservation-api': confirmReservation,
    'release-reservation-api': releaseReservation,
    'get-inventory-api': getInventory,
  },
  internal: {
    'get-reservation': getReservation,
    'record-reservation': recordReservation,
    'move-reservation': moveReservation,
    'get-basket-hold': getBasketHold,
    'list-order-holds': listOrderHolds,
    'release-holds': releaseHolds,
  },
  events: {},
  due: [abortHold, expireReservation, giveBackStock, moveStock],
});

/** A world begins without reservations. */
export function seed(_fixtures: Fixtures, _now: number): Seed {
  return {};
}
