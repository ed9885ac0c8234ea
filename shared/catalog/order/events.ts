import { defineEvent } from '../define-object.ts';

export const orderCreated = defineEvent({
  name: 'order-created',
  classification: 'created',
  object: 'order',
  meaning: 'Order created from a converted basket or direct entry',
});

export const orderConfirmed = defineEvent({
  name: 'order-confirmed',
  classification: 'transitioned',
  object: 'order',
  meaning: 'Order confirmed and acknowledged; fulfillment can begin',
  subscribers: [
    { application: 'crm', purpose: 'records activity; a registered customer becomes active' },
    { application: 'fms', purpose: 'completes the exchange of a return' },
  ],
});

export const orderCancelled = defineEvent({
  name: 'order-cancelled',
  classification: 'transitioned',
  object: 'order',
  meaning: 'Order cancelled before fulfillment completion',
  subscribers: [
    { application: 'fms', purpose: 'refunds a return that was to be exchanged for the order' },
    { application: 'pos', purpose: 'ends a transaction whose order a client created itself' },
  ],
});
