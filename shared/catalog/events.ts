import { basketCreated, checkoutCancelled, checkoutStarted } from './commerce/events.ts';
import { customerInteractionLogged, customerRegistered } from './customer/events.ts';
import type { EventDefinition, ObjectDefinition } from './define-object.ts';
import { extensionEvent } from './event-names.ts';
import { fulfillmentOrderCreated, returnCreated, returnRequested, shipmentLabelGenerated } from './fulfillment/events.ts';
import { inventoryReserved, reservationCreated } from './inventory/events.ts';
import { objects } from './objects.ts';
import { orderCancelled, orderConfirmed, orderCreated } from './order/events.ts';
import { paymentAuthorized, paymentCaptured } from './payment/events.ts';

const listed = [
  basketCreated,
  checkoutStarted,
  checkoutCancelled,
  customerRegistered,
  customerInteractionLogged,
  fulfillmentOrderCreated,
  shipmentLabelGenerated,
  returnRequested,
  returnCreated,
  inventoryReserved,
  reservationCreated,
  orderCreated,
  orderConfirmed,
  orderCancelled,
  paymentAuthorized,
  paymentCaptured,
] as const;

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
  subscribers: object.changeSubscribers,
}));

/** All events: the events of the source document, then the additional events. */
export const allEvents: readonly EventDefinition[] = [...events, ...changeEvents];
