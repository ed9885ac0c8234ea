import { z } from 'zod';
import { Id } from '../../shared/catalog/shapes.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';

/** The key is the basket. `exchangeFor`: the return that is to pay for its order. */
export const finishCreation = defineDueWork('finish-creation', z.object({ exchangeFor: Id.optional() }));

/** The key is the return. */
export const payOutReturn = defineDueWork('pay-out-return');

/** The key is the payment whose authorisation expired. */
export const renewAuthorization = defineDueWork('renew-authorization', z.object({ orderId: Id }));

// The key of all others is the order.
export const finishConfirmation = defineDueWork('finish-confirmation');
export const finishCancellation = defineDueWork('finish-cancellation');
export const finishCarryOut = defineDueWork('finish-carry-out');
export const expireDraft = defineDueWork('expire-draft');
export const redeemVouchers = defineDueWork('redeem-vouchers');
export const compensate = defineDueWork('compensate');
export const releaseHolds = defineDueWork('release-holds');
/** `asked`: a client requested the routing, so it is done even where orders are routed by hand. */
export const routeOrder = defineDueWork('route-order', z.object({ asked: z.boolean().optional() }));
/** `attempt` counts from 1. */
export const capturePayments = defineDueWork('capture-payments', z.object({ attempt: z.int().min(1) }));
export const serveShortLines = defineDueWork('serve-short-lines');
export const settleOrder = defineDueWork('settle-order');
export const giveUpUncovered = defineDueWork('give-up-uncovered');
export const takeExchangeCredit = defineDueWork('take-exchange-credit');
