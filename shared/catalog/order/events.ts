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
    { application: 'crm', mode: 'each', purpose: 'a registered customer becomes active; activity is noted' },
    { application: 'fms', mode: 'each', purpose: 'a return is exchanged for the order' },
  ],
});

export const orderCancelled = defineEvent({
  name: 'order-cancelled',
  classification: 'transitioned',
  object: 'order',
  meaning: 'Order cancelled before fulfillment completion',
  subscribers: [
    { application: 'fms', mode: 'each', purpose: 'a return that was to be exchanged for the order is paid back instead' },
    { application: 'pos', mode: 'each', purpose: 'a transaction that somebody made an order of by hand ends with it' },
  ],
});
