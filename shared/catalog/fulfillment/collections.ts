import { z } from 'zod';
import { defineApi } from '../define.ts';
import { Collection, PaidAtCollection } from '../inventory/collection.ts';
import { atLeastOne, Id, Money, pageOf, queryInteger, typedText } from '../shapes.ts';
import { COLLECTION_STATUSES } from './counter.ts';
import { StoreCollection } from './fulfillment-orders.ts';

/** What staff at a counter need to find the goods. The code is the customer's, and not in it. */
export const WaitingCollection = z
  .object({
    fulfillmentOrderId: Id.describe('The goods. Hand Over Collection takes it.'),
    orderId: Id,
    orderNumber: z.string().optional().describe('On the label for the shelf.'),
    customerId: Id.optional(),
    ...Collection.shape,
    status: z.enum(COLLECTION_STATUSES),
    units: z.int().min(0).describe('Units at the counter. Before they are picked: units of the order.'),
    ...StoreCollection.pick({ readyAt: true, lastDay: true, until: true, extended: true }).shape,
    payAt: PaidAtCollection.describe(
      'Its customer pays at a till of the store, before the goods are handed over. It stays when the order is paid; `outstanding` shows whether it is. Absent for goods that replace delivered ones.',
    ),
    outstanding: Money.optional().describe(
      'What the customer still pays for the whole order; 0.00 if nothing. Absent once the goods are handed over or nobody collects them any more, for goods that replace delivered ones, and while the OMS or the Payment Hub does not answer.',
    ),
  })
  .meta({ id: 'WaitingCollection' });

export const listCollections = defineApi({
  id: 'list-collections-api',
  name: 'List Collections',
  summary:
    'Lists the goods that customers collect, oldest order first: by store, customer or order number, and by every other filter. The codes are never in the list.',
  application: 'fms',
  path: '/collections',
  query: atLeastOne(
    z.strictObject({
      locationId: Id.optional().describe('The store where the goods are collected.'),
      customerId: Id.optional(),
      orderNumber: typedText(64).optional().describe('The number on the label for the shelf.'),
      status: z
        .enum(COLLECTION_STATUSES)
        .optional()
        .describe(
          'preparing: the goods are being picked or packed. on-the-way: a carrier brings them to the store. lost: the carrier has lost them, and they wait to be found, replaced or refunded. waiting: they wait at the counter. handed-over: the customer has them. ended: nobody collects them any more.',
        ),
      limit: queryInteger(1, 100).default(20).describe('Entries per page. Default: 20.'),
      cursor: z.string().min(1).max(200).optional().describe('The nextCursor of the previous page.'),
    }),
    ['locationId', 'customerId', 'orderNumber'],
  ),
  response: pageOf(WaitingCollection),
  addition: true,
});
