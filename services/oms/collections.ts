import { z } from 'zod';
import { FulfillmentOrder } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { changeFulfillment } from '../../shared/catalog/fulfillment/internal.ts';
import { ChangeOrderRequest } from '../../shared/catalog/order/apis.ts';
import { Order, OrderChange, order as orderObject } from '../../shared/catalog/order/objects.ts';
import { ReplacementReasonName } from '../../shared/catalog/order/replacements.ts';
import { Id, Quantity, Sku, VoucherCode } from '../../shared/catalog/shapes.ts';
import { defineCollection } from '../../shared/store/collections.ts';

/** Parts of an order that other applications still have to undo. Until then the order shows `compensation: 'pending'`. */
export const Undo = z.object({
  payments: z.union([z.literal('all'), z.array(Id)]).describe('Payments to reverse.'),
  holds: z
    .object({ spare: z.array(Id).describe('Reservations to keep: the FMS still consumes them, perhaps late.') })
    .optional()
    .describe('All stock reserved for the order must be released, including reservations that the order does not name.'),
  vouchers: z.boolean().describe('Whether its voucher uses must be released.'),
  writeOff: z.literal(true).optional().describe('The FMS still has to write off short units. Reservations are released after that.'),
  surplus: z
    .array(
      z.object({
        reservationId: Id,
        locationId: Id,
        reference: z.string(),
        lines: z.array(z.object({ orderLineId: Id, sku: Sku, qty: Quantity })),
      }),
    )
    .optional()
    .describe('Reserved units that a changed order no longer needs.'),
  release: z.array(Id).optional().describe('Reservations that a changed order no longer needs.'),
  lower: z.literal(true).optional().describe('Whether authorisations exceed what a changed order costs.'),
});
export type Undo = z.output<typeof Undo>;

/** A change of an order, from its intent to its commit. */
export const PendingChange = z.object({
  asked: ChangeOrderRequest,
  /** The entry in `changes`. */
  entry: OrderChange,
  /** The new members of the order. Members of the delivery that are absent are removed, if there is one of them. */
  lines: Order.shape.lines.optional(),
  totals: Order.shape.totals.optional(),
  delivery: Order.pick({ shippingAddress: true, shippingMethod: true, collection: true }).optional(),
  /** What the FMS has to change. Absent for an order without fulfillment orders. */
  fulfillment: changeFulfillment.request.optional(),
  surplus: Undo.shape.surplus,
  /** Whether the goods come from another place. Then a new reservation takes them, and the order is routed again. */
  moves: z.object({ collectAt: Id.optional(), reservationId: Id.optional() }).optional(),
});
export type PendingChange = z.output<typeof PendingChange>;

const RouteStrategy = z.enum(['nearest', 'most-stock']);

/** The published order with the members that only the OMS uses. */
export const StoredOrder = Order.extend({
  /** Vouchers that gave a discount; they are redeemed when the order is confirmed. */
  voucherCodes: z.array(VoucherCode),
  /** Number of requests for a new reservation that got a definite answer. The next request is a new attempt. */
  holdAttempts: z.int().min(0),
  /** The strategy of the pending Route Order. */
  routeStrategy: RouteStrategy.optional(),
  undo: Undo.optional(),
  /** The pending change. */
  pendingChange: PendingChange.optional(),
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

/** The last known state of a fulfillment order, with the booking made for it. */
const SeenFulfillment = z.object({
  id: Id,
  version: z.int().min(1),
  state: FulfillmentOrder.shape.state,
  locationId: Id,
  lines: z.array(z.object({ orderLineId: Id, sku: Sku, qty: Quantity, shortQty: z.int().min(0) })),
  /** How its units were counted on the order. */
  booked: z.enum(['delivered', 'cancelled']).optional(),
  /** Whether found units stand in for all its cancelled units, so none of them was refunded. */
  isKeptInPlace: z.literal(true).optional(),
  /** The return of units that the customer refused at the counter. The FMS books it once the order is completed. */
  refusedReturnId: Id.optional(),
  /** Whether its goods waited at the counter of a store. */
  wasReady: z.literal(true).optional(),
  /** Whether the carrier has lost its parcel. */
  isLost: z.literal(true).optional(),
  /** The replacement that it serves. */
  replacementId: Id.optional(),
});
export type SeenFulfillment = z.output<typeof SeenFulfillment>;

/** Short units of a line: missing at their location. Other locations serve as many as they have; the rest is cancelled. */
const ShortUnits = z.object({
  fulfillmentOrderId: Id,
  orderLineId: Id,
  /** Number of this entry, when units were split over locations that had only a part. Absent in the first entry. */
  part: z.int().min(1).optional(),
  sku: Sku,
  qty: Quantity,
  locationId: Id.describe('Location that lacks them.'),
  status: z.enum(['open', 'held', 'served', 'cancelled']),
  /** Replacement reservations that ended before they were confirmed. */
  lostHolds: z.int().min(0),
  /** The replacement reservation, and the number of the attempt at the FMS. Set while `held` or `served`. */
  held: z.object({ reservationId: Id, locationId: Id, attempt: z.int().min(2) }).optional(),
  /** The fulfillment order of the replacement. Set while `served`. */
  servedBy: Id.optional(),
});
export type ShortUnits = z.output<typeof ShortUnits>;

/** Refund for cancelled units of a line. `left`: not refunded, because refunds are manual in the rehearsal. */
const OwedRefund = z.object({
  reference: z.string(),
  amount: z.int().min(1).describe('Minor units.'),
  status: z.enum(['owed', 'paid', 'left']),
});
export type OwedRefund = z.output<typeof OwedRefund>;

/**
 * A replacement. `claimed`: no other request takes its units, and stock is being reserved. `placed`: the order shows it; the stock is to be
 * passed on. `sent`: the FMS has its fulfillment orders, or the store has handed the goods over.
 */
const ReplacementRecord = z.object({
  id: Id,
  status: z.enum(['claimed', 'placed', 'sent']),
  reason: ReplacementReasonName,
  storeId: Id.optional(),
  lines: z.array(z.object({ orderLineId: Id, sku: Sku, qty: Quantity, lostFulfillmentOrderId: Id.optional() })),
  /** Reservations that ended before they were confirmed. */
  lostHolds: z.int().min(0),
  /** The reservation, the number of the attempt at the FMS, and the locations of each line. Absent while `claimed`. */
  held: z
    .object({
      reservationId: Id,
      attempt: z.int().min(1),
      groups: z.array(
        z.object({
          locationId: Id,
          lines: z.array(z.int()),
          units: z.array(z.int()).optional().describe('Units of each of these lines. Absent: all units.'),
        }),
      ),
    })
    .optional(),
});
export type ReplacementRecord = z.output<typeof ReplacementRecord>;

/** Fulfilment progress, by the order’s id. It is stored before the first request to the FMS, which has no other orders. */
const FulfillmentRecord = z.object({
  id: Id,
  version: z.int().min(0),
  /** Attempts at the FMS, started or done. The first is the routing; each further attempt serves short units. */
  attempts: z.int().min(1),
  routed: z.boolean(),
  /** Strategy that Route Order named. Without it: nearest. */
  strategy: RouteStrategy.optional(),
  seen: z.array(SeenFulfillment),
  short: z.array(ShortUnits),
  owed: z.array(OwedRefund),
  replacements: z.array(ReplacementRecord).optional(),
  /** Whether it was made for a refund, and the order was never routed. */
  unrouted: z.literal(true).optional(),
});
export type FulfillmentRecord = z.output<typeof FulfillmentRecord>;

export const fulfillmentRecords = defineCollection({ name: 'fulfilment-records', schema: FulfillmentRecord });

/** The record after the owed refunds were made, apart from those that wait, or left to a client. */
export const withOwedSettled = (
  record: FulfillmentRecord,
  status: 'paid' | 'left',
  waiting: ReadonlySet<string> = new Set(),
): FulfillmentRecord => ({
  ...record,
  owed: record.owed.map((one) => (one.status === 'owed' && !waiting.has(one.reference) ? { ...one, status } : one)),
});

/** The stores that may hand goods over. */
export const stores = defineCollection({ name: 'stores', reference: true, schema: z.object({ id: Id, version: z.int().min(0) }) });
