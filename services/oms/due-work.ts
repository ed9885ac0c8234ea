import { z } from 'zod';
import { Id } from '../../shared/catalog/shapes.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';

/** The key is the basket. `exchangeFor`: the return that is to pay for its order. */
export const finishCreationDue = defineDueWork('finish-creation', z.object({ exchangeFor: Id.optional() }));

/** The key is the return. */
export const payOutReturnDue = defineDueWork('pay-out-return');

/** The key is the payment whose authorisation expired, at `lostAt`. */
export const renewAuthorizationDue = defineDueWork('renew-authorization', z.object({ orderId: Id, lostAt: z.number().optional() }));

// The key of all others is the order.
export const finishConfirmationDue = defineDueWork('finish-confirmation');
export const finishCancellationDue = defineDueWork('finish-cancellation');
export const finishCarryOutDue = defineDueWork('finish-carry-out');
export const expireDraftDue = defineDueWork('expire-draft');
export const redeemVouchersDue = defineDueWork('redeem-vouchers');
export const compensateDue = defineDueWork('compensate');
export const releaseHoldsDue = defineDueWork('release-holds');
/** `asked`: a client requested the routing, so it is done even if routing is manual. */
export const routeOrderDue = defineDueWork('route-order', z.object({ asked: z.boolean().optional() }));
/** `attempt` counts from 1. */
export const capturePaymentsDue = defineDueWork('capture-payments', z.object({ attempt: z.int().min(1) }));
export const serveShortLinesDue = defineDueWork('serve-short-lines');
export const settleOrderDue = defineDueWork('settle-order');
export const giveUpUncoveredDue = defineDueWork('give-up-uncovered');
export const takeExchangeCreditDue = defineDueWork('take-exchange-credit');
