import type { Fixtures } from '../../fixtures/files.ts';
import { references } from '../../shared/handlers/references.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { cancelOrder, expireDraft, finishCancellation } from './cancellation.ts';
import { capturePayments, ensureCaptured } from './capture.ts';
import { carryOut, finishCarryOut } from './carry-out.ts';
import { changeOrder, finishChange } from './changes.ts';
import { fulfillmentRecords, orders, stores } from './collections.ts';
import { compensate, releaseReservations } from './compensation.ts';
import { confirmOrder, finishConfirmation, redeemVouchers } from './confirmation.ts';
import { createOrder, finishCreation } from './creation.ts';
import { takeExchangeCreditLater } from './exchange.ts';
import { onFulfillmentOrderChanged, refundLostGoods, settleOrder } from './fulfillment.ts';
import { undoGivenOrder } from './given.ts';
import { refundCancelledUnits } from './late-refunds.ts';
import { giveUpUncovered, onPaymentChanged, renewAuthorization } from './lost-authorizations.ts';
import { listOrders } from './order-list.ts';
import { getOrder, getOrderEarning, getOrderStock, getPayable, listCustomerOrders, listOutstanding } from './order-view.ts';
import { payOutReturn } from './payout.ts';
import { createReplacement, finishReplacement } from './replacements.ts';
import { returnBookings } from './return-bookings.ts';
import { announceRefund, bookReturn, closeReturn } from './returns.ts';
import { routeDueOrder, routeOrder } from './routing.ts';
import { serveShortLines } from './short-lines.ts';

export const service = defineService({
  application: 'oms',
  collections: [orders, fulfillmentRecords, returnBookings, references, stores],
  counters: [],
  apis: {
    'get-order-api': getOrder,
    'list-orders-api': listOrders,
    'create-order-api': createOrder,
    'confirm-order-api': confirmOrder,
    'cancel-order-api': cancelOrder,
    'change-order-api': changeOrder,
    'route-order-api': routeOrder,
    'create-replacement-api': createReplacement,
  },
  internal: {
    'get-payable': getPayable,
    'get-order-stock': getOrderStock,
    'get-order-earning': getOrderEarning,
    'ensure-captured': ensureCaptured,
    'book-return': bookReturn,
    'announce-refund': announceRefund,
    'close-return': closeReturn,
    'carry-out': carryOut,
    'list-customer-orders': listCustomerOrders,
    'list-outstanding': listOutstanding,
  },
  events: { 'ext.fulfillment-order-changed': onFulfillmentOrderChanged, 'ext.payment-changed': onPaymentChanged },
  due: [
    finishCreation,
    undoGivenOrder,
    finishConfirmation,
    finishCancellation,
    finishChange,
    finishCarryOut,
    expireDraft,
    redeemVouchers,
    compensate,
    releaseReservations,
    routeDueOrder,
    capturePayments,
    serveShortLines,
    settleOrder,
    refundCancelledUnits,
    renewAuthorization,
    giveUpUncovered,
    finishReplacement,
    refundLostGoods,
    payOutReturn,
    takeExchangeCreditLater,
  ],
});

/** A world starts with the stores, and without orders: every order is created from a basket. */
export const seed = ({ locations }: Fixtures): Seed => ({
  objects: [
    { of: orders, rows: [] },
    { of: stores, rows: locations.filter(({ type }) => type === 'store').map(({ id }) => ({ id, version: 1 })) },
  ],
});
