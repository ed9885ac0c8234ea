import { defineDueWork } from '../../shared/work/due-work.ts';

// The key of due work is the reservation's id.

/** A Reserve Inventory that never answered is undone, or finished. */
export const abortReservationDue = defineDueWork('abort-hold');

/** Expires a reservation with a time limit. */
export const expireReservationDue = defineDueWork('expire-reservation');

/** The Inventory Service takes back the stock of a reservation that has ended. */
export const giveBackStockDue = defineDueWork('give-back-stock');

/** The Inventory Service moves the stock of units that left a reservation or were missing. */
export const moveStockDue = defineDueWork('move-stock');
