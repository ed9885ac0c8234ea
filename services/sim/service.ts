import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { abortReservation } from './attempts.ts';
import { attempts, basketAttempts, endedOwners, fulfillmentHolds, movements, reservations } from './collections.ts';
import { moveReservation } from './movements.ts';
import {
  confirmReservation,
  expireReservation,
  getBasketHold,
  getInventory,
  getReservation,
  giveBackStock,
  listOrderHolds,
  recordReservation,
  releaseHolds,
  releaseReservation,
} from './reservations.ts';
import { reserveInventory } from './reserving.ts';
import { moveStock } from './stock-movements.ts';

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
  due: [abortReservation, expireReservation, giveBackStock, moveStock],
});

/** A world begins without reservations. */
export const seed = (): Seed => ({});
