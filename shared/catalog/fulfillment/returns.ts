import { z } from 'zod';
import { defineObject } from '../define-object.ts';
import { defineLifeCycle } from '../life-cycle.ts';
import { Refund, refundOrderInWords } from '../payment/objects.ts';
import { clientMembers, commonFields, Id, Instant, Money, Quantity, referenceColumn, Sku } from '../shapes.ts';
import { FulfillmentShipment } from './fulfillment-orders.ts';

export const returnLifeCycle = defineLifeCycle({
  object: 'return',
  states: ['requested', 'approved', 'in-transit', 'received', 'inspected', 'refunded', 'exchanged', 'rejected'],
  rows: [
    {
      verb: 'request',
      from: [null],
      to: 'requested',
      events: ['return-requested', 'return-created'],
      trigger: 'Create Return; the order is completed, and the customer has these units',
    },
    {
      verb: 'approve',
      from: ['requested'],
      to: 'approved',
      trigger:
        'time: policy, within 30 d after the order was completed, or if it has a refund; control plane: approve. A parcel gets its label',
    },
    {
      verb: 'reject',
      from: ['requested', 'approved', 'in-transit', 'inspected'],
      to: 'rejected',
      trigger:
        'time: policy, more than 30 d after the order was completed, or 7 d after its parcel went back to the customer or was lost without ever being handed over; control plane: reject, unless its parcel may still arrive. A return that has a refund is not rejected. The units stay with the customer',
    },
    { verb: 'depart', from: ['approved'], to: 'in-transit', trigger: 'webhook: its parcel is in transit' },
    {
      verb: 'write-off',
      from: ['in-transit'],
      trigger: 'time: its parcel has been lost for 7 d; control plane: write-off. It is refunded without its goods',
    },
    {
      verb: 'receive',
      from: ['approved', 'in-transit'],
      to: 'received',
      trigger: 'time: handed in at the store; control plane: receive; webhook: its parcel is delivered',
    },
    {
      verb: 'inspect',
      from: ['received'],
      to: 'inspected',
      trigger: 'time: the warehouse inspects it; control plane: inspect. Its units are restocked or scrapped',
    },
    {
      verb: 'refund',
      from: ['inspected', 'in-transit'],
      to: 'refunded',
      trigger:
        'after inspection or write-off, its succeeded refunds reach refundAmount, or nothing is left to refund; time: 7 d after the inspection, if no order was exchanged for it',
    },
    { verb: 'exchange', from: ['inspected'], to: 'exchanged', trigger: 'Confirm Order for its exchange order' },
    {
      verb: 'note',
      from: ['requested', 'approved', 'in-transit', 'received', 'inspected', 'refunded', 'exchanged', 'rejected'],
      trigger: 'its parcel or one of its refunds changes',
    },
    {
      verb: 'repeat-scan',
      from: ['requested', 'approved', 'in-transit', 'received', 'inspected', 'refunded', 'exchanged', 'rejected'],
      again: true,
      trigger: 'webhook: a repeated scan, or one older than the newest seen',
    },
  ],
});

export const DropOff = z
  .enum(['carrier', 'store'])
  .meta({ id: 'DropOff', description: 'carrier: the customer sends the goods with a label. store: the customer brings them.' });

export const Resolution = z.enum(['refund', 'exchange']).meta({ id: 'Resolution' });

export const ReturnCondition = z.enum(['resellable', 'damaged']).meta({ id: 'ReturnCondition' });

export const Disposition = z
  .enum(['restock', 'scrap'])
  .meta({ id: 'Disposition', description: 'restock: the units can be sold again. scrap: they cannot.' });

export const ReturnLine = z
  .object({
    orderLineId: Id,
    sku: Sku,
    qty: Quantity,
    reason: z.string(),
    condition: ReturnCondition.optional().describe('Present after inspection, or if the goods are found after a write-off.'),
    disposition: Disposition.optional().describe('Present after inspection, or if the goods are found after a write-off.'),
  })
  .meta({ id: 'ReturnLine' });

/** A refund of a return, with the payment that it refunds. */
export const ReturnRefund = Refund.pick({ amount: true, state: true, rounding: true, at: true })
  .extend({ paymentId: Id })
  .meta({ id: 'ReturnRefund' });

export const Return = z
  .object({
    ...commonFields,
    state: z.enum(returnLifeCycle.states),
    orderId: Id,
    customerId: Id.optional(),
    lines: z.array(ReturnLine),
    dropOff: DropOff,
    locationId: Id.describe('Destination: the store where it is handed in, or the node that served the order.'),
    resolution: Resolution,
    refundAmount: Money.describe(
      'Value of its units, fixed at creation. The first n units of a line are worth lineTotal × n ÷ qty, rounded down, and later units the difference, so that all units of a line add up to lineTotal. Excludes shipping.',
    ),
    refundTax: Money.optional().describe(
      'Our addition: the tax in refundAmount that was added to prices without tax, shared as the value is. Absent if prices include tax.',
    ),
    refunds: z
      .array(ReturnRefund)
      .describe(`${refundOrderInWords} An order with an exchange credit refunds the credit last, and its other tenders keep the shipping.`),
    shipments: z.array(FulfillmentShipment),
    writtenOffAt: Instant.optional().describe('When its lost parcel was written off. It is refunded without its goods.'),
    exchangeOrderId: Id.optional(),
    replacementId: Id.optional().describe('The replacement that was sent for its goods. It is worth nothing.'),
    rejectReason: z.string().optional(),
    ...clientMembers,
  })
  .meta({ id: 'Return' });

/** Whether a return awaits its refund, or its exchange: it was inspected or written off. */
export const awaitsRefund = ({ state, writtenOffAt }: Pick<z.output<typeof Return>, 'state' | 'writtenOffAt'>): boolean =>
  state === 'inspected' || (state === 'in-transit' && writtenOffAt !== undefined);

/** Moves of a return by policy, store, warehouse and customer service. Only the control plane makes them. */
export const ReturnVerb = z.enum(['approve', 'reject', 'receive', 'inspect', 'write-off']).meta({ id: 'ReturnVerb' });

/** Named so because `return` is a reserved word. */
export const returnObject = defineObject({
  type: 'return',
  idPrefix: 'ret',
  owner: 'fms',
  meaning: 'Return request and execution record',
  schema: Return,
  label: ['{refundAmount}'],
  columns: {
    order: '{orderId}',
    customer: '{customerId}',
    'drop-off': '{dropOff}',
    resolution: '{resolution}',
    location: '{locationId}',
  },
  moreColumns: referenceColumn,
  references: { exchangeOrderId: 'order', 'shipments.id': 'shipment' },
  lifeCycle: returnLifeCycle,
});
