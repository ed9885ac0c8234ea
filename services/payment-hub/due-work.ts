import { z } from 'zod';
import { Money } from '../../shared/catalog/shapes.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';

// The key of due work is the payment's id, unless stated otherwise.

/** The simulated provider approves a pending payment. */
export const approvePaymentDue = defineDueWork('approve-payment');

/** A payment whose outcome is still unknown fails. */
export const giveUpPaymentDue = defineDueWork('give-up-payment');

/** Voids an authorisation unless its order or its till still needs it. */
export const checkOrphanDue = defineDueWork('check-orphan');

/** An authorisation runs out at its provider. */
export const expireAuthorizationDue = defineDueWork('expire-authorization');

/** The Loyalty Platform gives an amount back to the member. The key is the reference. */
export const giveBackPointsDue = defineDueWork(
  'give-back-points',
  z.object({ reference: z.string(), paymentId: z.string(), amount: Money }),
);
