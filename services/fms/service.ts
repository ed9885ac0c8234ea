import type { Fixtures } from '../../fixtures/load.ts';
import { defineService } from '../../shared/contract/handler.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { carrierWebhook } from './apis/carrier-webhook.ts';
import { dispatchFulfillmentOrder } from './apis/dispatch-fulfillment-order.ts';
import { getFulfillmentOrder } from './apis/get-fulfillment-order.ts';
import { acceptedWebhooks, fulfillmentOrders, nodes, orderFulfilments, parcels, trackings } from './collections.ts';
import { allocate } from './due/allocate.ts';
import { giveUpDelivery } from './due/give-up-delivery.ts';
import { handOverLater } from './due/hand-over.ts';
import { restock } from './due/restock.ts';
import { takeStockLater } from './due/take-stock.ts';
import { writeOff } from './due/write-off.ts';
import { ALLOCATE, GIVE_UP_DELIVERY, HAND_OVER, RESTOCK, TAKE_STOCK, WRITE_OFF } from './due-kinds.ts';
import { cancelFulfillment } from './internal/cancel-fulfillment.ts';
import { createFulfillmentOrders } from './internal/create-fulfillment-orders.ts';
import { getShipmentData } from './internal/get-shipment-data.ts';
import { listFulfillmentOrders } from './internal/list-fulfillment-orders.ts';
import { recordPicking } from './internal/record-picking.ts';

export const service = defineService({
  application: 'fms',
  collections: [fulfillmentOrders, orderFulfilments, parcels, trackings, acceptedWebhooks, nodes],
  counters: [],
  apis: {
    'get-fulfillment-order-api': getFulfillmentOrder,
    'dispatch-fulfillment-order-api': dispatchFulfillmentOrder,
    'carrier-webhook': carrierWebhook,
  },
  internal: {
    'create-fulfillment-orders': createFulfillmentOrders,
    'cancel-fulfillment': cancelFulfillment,
    'list-fulfillment-orders': listFulfillmentOrders,
    'record-picking': recordPicking,
    'get-shipment-data': getShipmentData,
  },
  events: {},
  due: {
    [ALLOCATE]: allocate,
    [WRITE_OFF]: writeOff,
    [TAKE_STOCK]: takeStockLater,
    [HAND_OVER]: handOverLater,
    [GIVE_UP_DELIVERY]: giveUpDelivery,
    [RESTOCK]: restock,
  },
});

/** Parcels are sent from where the goods lie; fulfillment orders come with the orders. */
export function seed({ locations }: Fixtures, _now: number): Seed {
  return { objects: [{ of: nodes, rows: locations.map(({ id, address }) => ({ id, version: 1, address })) }] };
}
