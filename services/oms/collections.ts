import { z } from 'zod';
import { FulfillmentOrder } from '../../shared/catalog/fulfillment/objects.ts';
import { Order, order as orderObject } from '../../shared/catalog/order/objects.ts';
import { Id, Quantity, Sku, VoucherCode } from '../../shared/catalog/shapes.ts';
import { defineCollection } from '../../shared/store/collections.ts';

/** What still has to be undone at other applications; the order shows it as `compensation: 'pending'`. */
export const Undo = z.object({
  payments: z.union([z.literal('all'), z.array(Id)]).describe('Which of the order’s payments are to be reversed.'),
  holds: z
    .object({ spare: z.array(Id).describe('What the FMS works off ends by what it says has left, which may be late.') })
    .optional()
    .describe('Everything that is held for it is to be released, also what it does not know of.'),
  vouchers: z.boolean().describe('Whether the uses of its vouchers are to be given back.'),
  writeOff: z.literal(true).optional().describe('The FMS has still to write off what was short; its holds are released after that.'),
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
  unique: {
    basket: ({ basketId }) => basketId,
    number: ({ orderNumber }) => orderNumber,
    exchangeFor: ({ exchangeForReturnId }) => exchangeForReturnId,
  },
  index: { customer: ({ customerId }) => customerId },
});

/** What the OMS has seen of a fulfillment order, and what it has booked on the order for it. */
const SeenFulfillment = z.object({
  id: Id,
  version: z.int().min(1),
  state: FulfillmentOrder.shape.state,
  locationId: Id,
  lines: z.array(z.object({ orderLineId: Id, sku: Sku, qty: Quantity, shortQty: z.int().min(0) })),
  /** Its units are counted on the order: as delivered, or as cancelled. */
  booked: z.enum(['delivered', 'cancelled']).optional(),
});
export type SeenFulfillment = z.output<typeof SeenFulfillment>;

/** Units of a line that were not where they should be. They are served from elsewhere, or cancelled. */
const ShortUnits = z.object({
  fulfillmentOrderId: Id,
  orderLineId: Id,
  sku: Sku,
  qty: Quantity,
  locationId: Id.describe('Where they were not.'),
  status: z.enum(['open', 'held', 'served', 'cancelled']),
  /** How many holds elsewhere were lost again before they were confirmed. */
  lostHolds: z.int().min(0),
  /** held, served: where they are, and which attempt at the FMS they are. */
  held: z.object({ reservationId: Id, locationId: Id, attempt: z.int().min(2) }).optional(),
});
export type ShortUnits = z.output<typeof ShortUnits>;

/** What is to be paid back for units of a line that were cancelled. `left`: the rehearsal pays back by hand. */
const OwedRefund = z.object({
  reference: z.string(),
  amount: z.int().min(1).describe('Minor units.'),
  status: z.enum(['owed', 'paid', 'left']),
});
export type OwedRefund = z.output<typeof OwedRefund>;

/**
 * How the goods of an order are doing; the id is the order's. It exists from the moment at which fulfillment orders are asked for:
 * without it the FMS cannot know the order.
 */
const FulfillmentRecord = z.object({
  id: Id,
  version: z.int().min(0),
  /** Attempts at the FMS, begun or done: 1 is the routing, each further one serves short units. */
  attempts: z.int().min(1),
  routed: z.boolean(),
  /** How Route Order was asked to choose locations; nearest where nobody asked. */
  strategy: z.enum(['nearest', 'most-stock']).optional(),
  seen: z.array(SeenFulfillment),
  short: z.array(ShortUnits),
  owed: z.array(OwedRefund),
});
export type FulfillmentRecord = z.output<typeof FulfillmentRecord>;

export const fulfillmentRecords = defineCollection({ name: 'fulfilment-records', schema: FulfillmentRecord });
