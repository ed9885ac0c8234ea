import type { EventDefinition, ObjectDefinition } from './define-object.ts';
import { extensionEvent } from './event-names.ts';
import { objects } from './objects.ts';

/** The events of the source document, and additions. */
const listed = [
  { name: 'basket-created', classification: 'created', object: 'basket', meaning: 'New basket for a customer or anonymous session' },
  {
    name: 'checkout-started',
    classification: 'transitioned',
    object: 'basket',
    meaning: 'Basket entered checkout; payment and delivery details being collected',
  },
  {
    name: 'checkout-cancelled',
    classification: 'transitioned',
    object: 'basket',
    meaning: 'In-progress checkout abandoned or cancelled before payment completion',
  },
  {
    name: 'customer-registered',
    classification: 'created',
    object: 'customer',
    meaning: 'New customer record with identity and contact information',
  },
  {
    name: 'customer-interaction-logged',
    classification: 'updated',
    object: 'customer',
    meaning: 'Interaction (visit note, product preference, task) recorded',
  },
  {
    name: 'fulfillment-order-created',
    classification: 'created',
    object: 'fulfillment-order',
    meaning: 'Fulfillment order created for a confirmed order by routing',
  },
  {
    name: 'shipment-label-generated',
    classification: 'updated',
    object: 'shipment',
    meaning: 'Carrier label generated for a dispatched shipment, with tracking number',
  },
  {
    name: 'return-requested',
    classification: 'created',
    object: 'return',
    meaning: 'Customer requested return of one or more items from an order',
  },
  {
    name: 'ext.replacement-created',
    classification: 'updated',
    object: 'order',
    meaning: 'Goods are sent or handed over in place of lost, missing, damaged or wrong ones',
    detail: 'The last entry of replacements has the reason and the goods.',
    addition: true,
  },
  {
    name: 'ext.collection-ready',
    classification: 'updated',
    object: 'fulfillment-order',
    meaning: 'Goods of a collection wait at the counter of their store',
    detail: 'collection has the code for the customer, its QR code in qrUrl, the last day, and the store with its address.',
    addition: true,
  },
  {
    name: 'ext.collection-reminder',
    classification: 'updated',
    object: 'fulfillment-order',
    meaning: 'Goods of a collection have waited for half of the time',
    addition: true,
  },
  {
    name: 'ext.collection-expired',
    classification: 'transitioned',
    object: 'fulfillment-order',
    meaning: 'Nobody collected the goods in time: they go back to the shelf, and are refunded',
    addition: true,
  },
  { name: 'return-created', classification: 'created', object: 'return', meaning: 'Return request created against a closed order' },
  {
    name: 'inventory-reserved',
    classification: 'created',
    object: 'reservation',
    meaning: 'Stock soft-reserved against a basket or order to prevent overselling',
  },
  {
    name: 'reservation-created',
    classification: 'created',
    object: 'reservation',
    meaning: 'New reservation created for a basket or order',
  },
  { name: 'order-created', classification: 'created', object: 'order', meaning: 'Order created from a converted basket or direct entry' },
  {
    name: 'order-confirmed',
    classification: 'transitioned',
    object: 'order',
    meaning: 'Order confirmed and acknowledged; fulfillment can begin',
    subscribers: [
      { application: 'crm', purpose: 'records activity; a registered customer becomes active' },
      { application: 'fms', purpose: 'completes the exchange of a return' },
    ],
  },
  {
    name: 'order-cancelled',
    classification: 'transitioned',
    object: 'order',
    meaning: 'Order cancelled before fulfillment completion',
    subscribers: [
      { application: 'fms', purpose: 'refunds a return that awaited its exchange for the order' },
      { application: 'pos', purpose: 'ends a transaction whose order a client created itself' },
    ],
  },
  {
    name: 'ext.order-amended',
    classification: 'updated',
    object: 'order',
    meaning: 'Its customer changed the order: address, place of collection, shipping method or units',
    detail: 'The last entry of changes has the difference, for the message to the customer.',
    addition: true,
  },
  {
    name: 'payment-authorized',
    classification: 'transitioned',
    object: 'payment',
    meaning: 'Payment pre-authorised with the provider for the required amount',
    subscribers: [{ application: 'pos', purpose: 'adds a tender that was approved later, or whose answer was lost' }],
  },
  {
    name: 'payment-captured',
    classification: 'transitioned',
    object: 'payment',
    meaning: 'Pre-authorised amount captured, funds transferred',
    subscribers: [{ application: 'pos', purpose: 'counts the captured part of a tender; the rest is outstanding again' }],
  },
] as const satisfies readonly EventDefinition[];

export type ListedEvent = (typeof listed)[number];

export const events: readonly EventDefinition[] = listed;

/** Whether an object is a versioned record that can change. Counters have no version. */
const changes = (object: ObjectDefinition): boolean => 'version' in object.schema.shape && object.lifeCycle?.rows.length !== 0;

/** The additional events, one per object that changes. */
export const changeEvents: readonly EventDefinition[] = objects.filter(changes).map((object) => ({
  name: extensionEvent(object.type),
  classification: 'updated',
  object: object.type,
  meaning: `A change of the ${object.type} that no other event reports`,
  detail: object.changeDetail,
  subscribers: object.changeSubscribers,
}));

/** All events: the events of the source document, then the additional events. */
export const allEvents: readonly EventDefinition[] = [...events, ...changeEvents];
