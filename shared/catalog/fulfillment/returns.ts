import { z } from 'zod';
import { defineObject } from '../define-object.ts';
import { defineLifeCycle } from '../life-cycle.ts';
import { commonFields, Id, Instant, Money, Quantity, Sku } from '../shapes.ts';
import { FulfillmentShipment } from './objects.ts';

export const returnLifeCycle = defineLifeCycle({
  object: 'return',
  states: ['requested', 'approved', 'in-transit', 'received', 'inspected', 'refunded', 'exchanged', 'rejected'],
  rows: [
    {
      verb: 'request',
      from: [null],
      to: 'requested',
      events: ['return-requested', 'return-created'],
      trigger: 'Create Return; the order is completed, and so many units of it are with the customer',
    },
    {
      verb: 'approve',
      from: ['requested'],
      to: 'approved',
      trigger: 'time: policy, within 30 days of the completed order; control plane: approve. A parcel gets its label',
    },
    {
      verb: 'reject',
      from: ['requested', 'in-transit', 'inspected'],
      to: 'rejected',
      trigger:
        'time: policy, later than 30 days after the completed order, or its parcel went back to the customer 7 d ago; control plane: reject. The units stay with the customer',
    },
    { verb: 'depart', from: ['approved'], to: 'in-transit', trigger: 'webhook: its parcel is on its way' },
    {
      verb: 'write-off',
      from: ['in-transit'],
      trigger: 'time: its parcel is lost for 7 d; control plane: write-off. It is paid back although nothing came',
    },
    {
      verb: 'receive',
      from: ['approved', 'in-transit'],
      to: 'received',
      trigger: 'handed in at the store: time, or control plane: receive; webhook: its parcel is delivered',
    },
    {
      verb: 'inspect',
      from: ['received'],
      to: 'inspected',
      trigger: 'the warehouse inspects it: time, or control plane: inspect. Its units are restocked or scrapped',
    },
    {
      verb: 'refund',
      from: ['inspected', 'in-transit'],
      to: 'refunded',
      trigger: 'inspected or written off, and the refunds for it reach refundAmount, or nothing is left to refund',
    },
    { verb: 'exchange', from: ['inspected'], to: 'exchanged', trigger: 'Confirm Order of its exchange order' },
    {
      verb: 'note',
      from: ['requested', 'approved', 'in-transit', 'received', 'inspected', 'refunded', 'exchanged', 'rejected'],
      trigger: 'its parcel or a refund moved',
    },
    {
      verb: 'repeat-scan',
      from: ['requested', 'approved', 'in-transit', 'received', 'inspected', 'refunded', 'exchanged', 'rejected'],
      again: true,
      trigger: 'webhook: a scan that is repeated, or older than the newest one seen',
    },
  ],
});

export const DropOff = z
  .enum(['carrier', 'store'])
  .meta({ id: 'DropOff', description: 'carrier: the customer sends it with a label. store: the customer brings it.' });

export const Resolution = z.enum(['refund', 'exchange']).meta({ id: 'Resolution' });

export const ReturnCondition = z.enum(['resellable', 'damaged']).meta({ id: 'ReturnCondition' });

export const Disposition = z
  .enum(['restock', 'scrap'])
  .meta({ id: 'Disposition', description: 'restock: it can be sold again. scrap: it is thrown away.' });

export const ReturnLine = z
  .object({
    orderLineId: Id,
    sku: Sku,
    qty: Quantity,
    reason: z.string(),
    condition: ReturnCondition.optional().describe('Once inspected, or found after it was written off.'),
    disposition: Disposition.optional().describe('Once inspected, or found after it was written off.'),
  })
  .meta({ id: 'ReturnLine' });

export const Return = z
  .object({
    ...commonFields,
    state: z.enum(returnLifeCycle.states),
    orderId: Id,
    customerId: Id.optional(),
    lines: z.array(ReturnLine),
    dropOff: DropOff,
    locationId: Id.describe('Where it is handed in, or the node that it came from.'),
    resolution: Resolution,
    refundAmount: Money.describe('What its units are worth; fixed when it was created.'),
    refunds: z.array(z.object({ paymentId: Id, amount: Money, at: Instant.optional() })),
    shipments: z.array(FulfillmentShipment),
    writtenOffAt: Instant.optional().describe('Its parcel counts as lost since then: it is paid back although nothing came.'),
    exchangeOrderId: Id.optional(),
    rejectReason: z.string().optional(),
  })
  .meta({ id: 'Return' });

/** What policy, store, warehouse and customer service do with a return: no API does, the control plane does. */
export const ReturnVerb = z.enum(['approve', 'reject', 'receive', 'inspect', 'write-off']).meta({ id: 'ReturnVerb' });

/** Named `returnObject` since `return` is a word of the language. */
export const returnObject = defineObject({
  type: 'return',
  domain: 'fulfillment',
  owner: 'fms',
  meaning: 'Return request and execution record',
  schema: Return,
  lifeCycle: returnLifeCycle,
});
