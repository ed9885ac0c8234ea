import { defineDueWork } from '../../shared/work/due-work.ts';

/** Abandons an open basket that nobody changes. The key is the basket, here and in all other due work of this application. */
export const basketIdle = defineDueWork('basket-idle');

/** Reopens a locked basket whose checkout led to no order in time. */
export const checkoutTtl = defineDueWork('checkout-ttl');

/** Gives back the stock and voucher uses of a checkout that did not succeed. */
export const undoCheckout = defineDueWork('undo-checkout');

/** Submits the order of a converted basket to the OMS. */
export const placeOrder = defineDueWork('place-order');

/** Calls the SIM to release the stock that is still reserved for a merged or abandoned basket. */
export const releaseHolds = defineDueWork('release-holds');
