import type { Fixtures } from '../../fixtures/files.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { carrierWebhook } from './apis/carrier-webhook.ts';
import { createReturn } from './apis/create-return.ts';
import { dispatchFulfillmentOrder } from './apis/dispatch-fulfillment-order.ts';
import { getFulfillmentOrder } from './apis/get-fulfillment-order.ts';
import { acceptedWebhooks, fulfillmentOrders, nodes, orderFulfillments, parcels, trackings } from './collections.ts';
import { allocate } from './due/allocate.ts';
import { bookReturnedStockLater } from './due/book-returned-stock.ts';
import { closeReturnLater } from './due/close-return.ts';
import { finishRejection } from './due/finish-rejection.ts';
import { giveUpDelivery } from './due/give-up-delivery.ts';
import { giveUpReturnLater } from './due/give-up-return.ts';
import { giveUpSilentParcel } from './due/give-up-silent-parcel.ts';
import { handOverLater } from './due/hand-over.ts';
import { putBackLater } from './due/put-back.ts';
import { restock } from './due/restock.ts';
import { handOverReturnLater } from './due/return-parcel.ts';
import { takeReturnStep } from './due/return-step.ts';
import { settleReturn } from './due/settle-return.ts';
import { takeStockLater } from './due/take-stock.ts';
import { undoReturn } from './due/undo-return.ts';
import { writeOff } from './due/write-off.ts';
import { onOrderCancelled } from './events/on-order-cancelled.ts';
import { onOrderConfirmed } from './events/on-order-confirmed.ts';
import { onPaymentChanged } from './events/on-payment-changed.ts';
import { applyReturnsProgression } from './internal/apply-returns-progression.ts';
import { cancelFulfillment } from './internal/cancel-fulfillment.ts';
import { createFulfillmentOrders } from './internal/create-fulfillment-orders.ts';
import { getReturn } from './internal/get-return.ts';
import { getShipmentData } from './internal/get-shipment-data.ts';
import { listFulfillmentOrders } from './internal/list-fulfillment-orders.ts';
import { listReturns } from './internal/list-returns.ts';
import { moveReturn } from './internal/move-return.ts';
import { recordPicking } from './internal/record-picking.ts';
import { returnRequests, returnSteps, returns, returnTasks } from './returns/collections.ts';

export const service = defineService({
  application: 'fms',
  collections: [
    fulfillmentOrders,
    orderFulfillments,
    parcels,
    trackings,
    acceptedWebhooks,
    nodes,
    returns,
    returnRequests,
    returnTasks,
    returnSteps,
  ],
  counters: [],
  apis: {
    'get-fulfillment-order-api': getFulfillmentOrder,
    'dispatch-fulfillment-order-api': dispatchFulfillmentOrder,
    'carrier-webhook': carrierWebhook,
    'create-return-api': createReturn,
  },
  internal: {
    'create-fulfillment-orders': createFulfillmentOrders,
    'cancel-fulfillment': cancelFulfillment,
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
    undoReturn,
    takeReturnStep,
    handOverReturnLater,
    giveUpReturnLater,
    finishRejection,
    bookReturnedStockLater,
    putBackLater,
    settleReturn,
    closeReturnLater,
  ],
});

/** Seeds the locations and the steps of returns. Fulfillment orders and returns come with the orders. */
export function seed({ locations, returnSteps: steps }: Fixtures, _now: number): Seed {
  return {
    objects: [
      { of: nodes, rows: locations.map(({ id, address, type }) => ({ id, version: 1, address, isStore: type === 'store' })) },
      { of: returnSteps, rows: steps.map(({ step, after }) => ({ id: step, version: 1, afterMs: durationMs(after) })) },
    ],
  };
}
