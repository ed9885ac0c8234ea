import { z } from 'zod';
import { Order, order as orderObject } from '../../shared/catalog/order/objects.ts';
import { Id, VoucherCode } from '../../shared/catalog/shapes.ts';
import { defineCollection } from '../../shared/store/collections.ts';

/** What still has to be undone at other applications; the order shows it as `compensation: 'pending'`. */
export const Undo = z.object({
  payments: z.union([z.literal('all'), z.array(Id)]).describe('Which of the order’s payments are to be reversed.'),
  reservationIds: z.array(Id),
  vouchers: z.boolean().describe('Whether the uses of its vouchers are to be given back.'),
});
export type Undo = z.output<typeof Undo>;

/** The order as it is published, and what only the OMS needs to know of it. */
export const StoredOrder = Order.extend({
  /** Vouchers that gave a discount: redeemed when the order is confirmed. */
  voucherCodes: z.array(VoucherCode),
  /** How many requests for a new hold had a definite answer; the next one is another attempt. */
  holdAttempts: z.int().min(0),
  undo: Undo.optional(),
});
export type StoredOrder = z.output<typeof StoredOrder>;

export const orders = defineCollection({
  name: 'orders',
  schema: StoredOrder,
  object: orderObject,
  unique: { basket: ({ basketId }) => basketId, number: ({ orderNumber }) => orderNumber },
});
