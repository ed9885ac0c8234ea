import { z } from 'zod';
import { Order } from '../../shared/catalog/order/objects.ts';
import { Id } from '../../shared/catalog/shapes.ts';
import { type DueWork, defineDueWork } from '../../shared/work/due-work.ts';

/** The key is the basket. `exchangeFor`: the return that should pay for its order. `reference` and `metadata`: what the client calls the order. */
export const finishCreationDue = defineDueWork(
  'finish-creation',
  Order.pick({ reference: true, metadata: true }).extend({ exchangeFor: Id.optional() }),
);

/** The key is the order that was to be created. */
export const undoGivenOrderDue = defineDueWork('undo-given-order', Order.pick({ reference: true }));

/** The key is the return. */
export const payOutReturnDue = defineDueWork('pay-out-return');

/** The key is the payment whose authorisation expired, at `lostAt`. */
export const renewAuthorizationDue = defineDueWork('renew-authorization', z.object({ orderId: Id, lostAt: z.number().optional() }));

/** The key is the replacement. */
export const finishReplacementDue = defineDueWork('finish-replacement', z.object({ orderId: Id }));

/** The key is the fulfillment order whose parcel is lost. */
export const refundLostGoodsDue = defineDueWork('refund-lost-goods', z.object({ orderId: Id }));

// The key of all others is the order.
export const finishConfirmationDue = defineDueWork('finish-confirmation');
export const finishChangeDue = defineDueWork('finish-change');
export const finishCancellationDue = defineDueWork('finish-cancellation');
export const finishCarryOutDue = defineDueWork('finish-carry-out');
export const expireDraftDue = defineDueWork('expire-draft');
export const redeemVouchersDue = defineDueWork('redeem-vouchers');
export const compensateDue = defineDueWork('compensate');
export const releaseReservationsDue = defineDueWork('release-holds');
/** `asked`: a client requested the routing, so it is done even if routing is manual. */
export const routeOrderDue = defineDueWork('route-order', z.object({ asked: z.boolean().optional() }));
/** `attempt` counts from 1. */
export const capturePaymentsDue = defineDueWork('capture-payments', z.object({ attempt: z.int().min(1) }));
export const serveShortLinesDue = defineDueWork('serve-short-lines');
export const settleOrderDue = defineDueWork('settle-order');
export const giveUpUncoveredDue = defineDueWork('give-up-uncovered');
/** Refunds cancelled units that became owed while a refund or a dispute was undecided, or whose refund failed, and what a change gives back. */
export const refundCancelledUnitsDue = defineDueWork('refund-cancelled-units');
export const takeExchangeCreditDue = defineDueWork('take-exchange-credit');

/** Due work that a cancelled order no longer needs. */
export const OBSOLETE_WORK: readonly DueWork[] = [
  finishCancellationDue,
  finishChangeDue,
  finishConfirmationDue,
  expireDraftDue,
  redeemVouchersDue,
  routeOrderDue,
  capturePaymentsDue,
  serveShortLinesDue,
  settleOrderDue,
  giveUpUncoveredDue,
];

// These are times of the rehearsal clock, except where a comment names the wall clock.

/** Time from the creation of an order until expired authorisations are no longer renewed. */
export const RENEWAL_PERIOD_MS = 30 * 24 * 60 * 60 * 1_000;

/** Time until due work takes over from a request. Longer than any request may take. */
export const TAKE_OVER_MS = 30_000;

/** Time until due work that found a pending action or a lost reservation runs again. */
export const RECHECK_MS = 60_000;

/** Time until a part that a request could not finish is tried again, unless the absent application is back earlier. */
export const FIRST_RETRY_MS = 5_000;

/** Time from each refused capture to the next attempt. After the last attempt the order is cancelled. */
export const CAPTURE_RETRY_DELAYS_MS: readonly number[] = [60_000, 5 * 60_000, 30 * 60_000];

/** Wall-clock timeout of calls whose answer only completes a view. */
export const VIEW_TIMEOUT_MS = 2_000;

/** Wall-clock timeout of calls whose answer decides the outcome. */
export const DECIDE_TIMEOUT_MS = 5_000;

/** Lifetime of an unconfirmed replacement reservation. It is confirmed immediately or expires. */
export const NEW_RESERVATION_TTL_SECONDS = 300;
