import { z } from 'zod';
import { isUsableName, Money, UNUSABLE_NAME } from '../shapes.ts';

const token = z.string().min(1).max(128).refine(isUsableName, UNUSABLE_NAME);

/** A gift card of the retailer: token and balance. */
export const GiftCard = z.strictObject({ token, balance: Money }).meta({ id: 'GiftCard' });
export type GiftCard = z.output<typeof GiftCard>;

const RefundBehaviour = z
  .discriminatedUnion('outcome', [
    z.strictObject({ outcome: z.literal('succeed'), after: z.string().describe('ISO 8601 duration.') }),
    z.strictObject({ outcome: z.literal('fail'), after: z.string().describe('ISO 8601 duration.'), failureReason: z.string().min(1) }),
  ])
  .describe('A refund to this token is pending for this time, and then succeeds or fails. Default: it succeeds immediately.')
  .meta({ id: 'RefundBehaviour' });
export type RefundBehaviour = z.output<typeof RefundBehaviour>;

/** Outcome of a token at the simulated provider. Tokens that are not listed are approved. */
export const PaymentToken = z
  .discriminatedUnion('outcome', [
    z.strictObject({
      token,
      outcome: z.literal('approve'),
      last4: z
        .string()
        .regex(/^[0-9]{4}$/, 'This must be 4 digits.')
        .optional(),
      refund: RefundBehaviour.optional(),
    }),
    z.strictObject({ token, outcome: z.literal('decline'), declineCode: z.string().min(1) }),
    z
      .strictObject({ token, outcome: z.literal('decline-at-capture') })
      .describe('The authorisation is approved, and its capture is declined. The payment fails then.'),
    z
      .strictObject({ token, outcome: z.literal('approve-part'), percent: z.int().min(1).max(99) })
      .describe('The provider approves this part of the amount if the request accepts a part, and declines the payment otherwise.'),
    z
      .strictObject({ token, outcome: z.literal('require-action') })
      .describe('3-D Secure: the customer has to approve a payment online. At the till, and when the OMS renews it, it is approved.'),
    z
      .strictObject({ token, outcome: z.literal('timeout') })
      .describe('The provider does not answer in time. The payment stays pending, then fails.'),
    z.strictObject({ token, outcome: z.literal('approve-later'), after: z.string().describe('ISO 8601 duration.') }),
  ])
  .meta({ id: 'PaymentToken' });
export type PaymentToken = z.output<typeof PaymentToken>;
