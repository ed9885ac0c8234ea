import type { Fixtures } from '../../fixtures/files.ts';
import { collectionHoursOf } from '../../shared/catalog/inventory/reference-data.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import { references } from '../../shared/handlers/references.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { extendCollection, giveUpCollection, handOverCollection, remindCustomer, reportUnit, unlockCollection } from './collection.ts';
import { collectionCode } from './collection-code.ts';
import { listCollections } from './collection-list.ts';
import { acceptedWebhooks, collectionChecks, fulfillmentOrders, nodes, orderFulfillments, parcels, trackings } from './collections.ts';
import { carrierWebhook, giveUpDelivery, giveUpLostGoods, giveUpSilentParcel, restock } from './delivery.ts';
import { dispatchFulfillmentOrder, handOverLater, takeStockLater } from './dispatch.ts';
import {
  allocate,
  cancelFulfillment,
  createFulfillmentOrders,
  getFulfillmentOrder,
  listFulfillmentOrders,
  writeOff,
} from './fulfillment-orders.ts';
import { changeFulfillment } from './order-changes.ts';
import { getShipmentData } from './parcels.ts';
import { recordPicking } from './picking.ts';
import { returnRequests, returnSteps, returns, returnTasks } from './returns/collections.ts';
import { giveUpReturn, handOverReturnLater } from './returns/parcels.ts';
import { closeReturnLater, onOrderCancelled, onOrderConfirmed, onPaymentChanged, settleReturn } from './returns/refunds.ts';
import { bookReturnedStockLater, finishRejection, putBack } from './returns/rejection.ts';
import { createReturn, getReturn, listReturns, returnRefused, undoReturn } from './returns/requests.ts';
import { applyReturnsProgression, moveReturn, takeReturnStep } from './returns/steps.ts';

export const service = defineService({
  application: 'fms',
  collections: [
    fulfillmentOrders,
    orderFulfillments,
    parcels,
    trackings,
    acceptedWebhooks,
    nodes,
    collectionChecks,
    returns,
    returnRequests,
    returnTasks,
    returnSteps,
    references,
  ],
  counters: [],
  apis: {
    'get-fulfillment-order-api': getFulfillmentOrder,
    'dispatch-fulfillment-order-api': dispatchFulfillmentOrder,
    'hand-over-collection-api': handOverCollection,
    'extend-collection-api': extendCollection,
    'list-collections-api': listCollections,
    'collection-code': collectionCode,
    'carrier-webhook': carrierWebhook,
    'create-return-api': createReturn,
  },
  internal: {
    'create-fulfillment-orders': createFulfillmentOrders,
    'cancel-fulfillment': cancelFulfillment,
    'change-fulfillment': changeFulfillment,
    'give-up-lost-goods': giveUpLostGoods,
    'list-fulfillment-orders': listFulfillmentOrders,
    'record-picking': recordPicking,
    'get-shipment-data': getShipmentData,
    'list-returns': listReturns,
    'get-return': getReturn,
    'move-return': moveReturn,
    'apply-returns-progression': applyReturnsProgression,
  },
  events: { 'order-confirmed': onOrderConfirmed, 'order-cancelled': onOrderCancelled, 'ext.payment-changed': onPaymentChanged },
  due: [
    allocate,
    writeOff,
    takeStockLater,
    handOverLater,
    giveUpDelivery,
    giveUpSilentParcel,
    restock,
    reportUnit,
    remindCustomer,
    giveUpCollection,
    unlockCollection,
    returnRefused,
    undoReturn,
    takeReturnStep,
    handOverReturnLater,
    giveUpReturn,
    finishRejection,
    bookReturnedStockLater,
    putBack,
    settleReturn,
    closeReturnLater,
  ],
});

/** Seeds the locations and the steps of returns. Fulfillment orders and returns come with the orders. */
export function seed({ locations, returnSteps: steps, retailer }: Fixtures): Seed {
  return {
    objects: [
      {
        of: nodes,
        rows: locations.map((location) => ({
          id: location.id,
          version: 1,
          name: location.name,
          address: location.address,
          isStore: location.type === 'store',
          hours: collectionHoursOf(location, retailer),
        })),
      },
      { of: returnSteps, rows: steps.map(({ step, after }) => ({ id: step, version: 1, afterMs: durationMs(after) })) },
    ],
  };
}
