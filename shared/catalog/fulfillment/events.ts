import { defineEvent } from '../define.ts';

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
