import { defineEvent } from '../define-object.ts';

export const fulfillmentOrderCreated = defineEvent({
  name: 'fulfillment-order-created',
  classification: 'created',
  object: 'fulfillment-order',
  meaning: 'Fulfillment order created for a confirmed order by routing',
});

export const shipmentLabelGenerated = defineEvent({
  name: 'shipment-label-generated',
  classification: 'updated',
  object: 'shipment',
  meaning: 'Carrier label generated for a dispatched shipment, with tracking number',
});

export const returnRequested = defineEvent({
  name: 'return-requested',
  classification: 'created',
  object: 'return',
  meaning: 'Customer requested return of one or more items from an order',
});

export const returnCreated = defineEvent({
  name: 'return-created',
  classification: 'created',
  object: 'return',
  meaning: 'Return request created against a closed order',
});
