import type { Fixtures } from '../../fixtures/files.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { cancelOrder } from './apis/cancel-order.ts';
import { confirmOrder } from './apis/confirm-order.ts';
import { createOrder } from './apis/create-order.ts';
import { getOrder } from './apis/get-order.ts';
import { routeOrder } from './apis/route-order.ts';
import { fulfillmentRecords, orders } from './collections.ts';
import { capturePayments } from './due/capture-payments.ts';
import { compensate } from './due/compensate.ts';
import { expireDraft } from './due/expire-draft.ts';
import { finishCancellation } from './due/finish-cancellation.ts';
import { finishCarryOut } from './due/finish-carry-out.ts';
import { finishConfirmation } from './due/finish-confirmation.ts';
import { finishCreation } from './due/finish-creation.ts';
import { giveUpUncovered } from './due/give-up-uncovered.ts';
import { payOutReturn } from './due/pay-out-return.ts';
import { redeemVouchers } from './due/redeem-vouchers.ts';
import { releaseHolds } from './due/release-holds.ts';
import { renewAuthorization } from './due/renew-authorization.ts';
import { routeOrder as routeDueOrder } from './due/route-order.ts';
import { serveShortLines } from './due/serve-short-lines.ts';
import { settleOrder } from './due/settle-order.ts';
import { takeExchangeCredit } from './due/take-exchange-credit.ts';
import { onFulfillmentOrderChanged } from './events/on-fulfillment-order-changed.ts';
import { onPaymentChanged } from './events/on-payment-changed.ts';
import { bookReturn } from './internal/book-return.ts';
import { carryOut } from './internal/carry-out.ts';
import { closeReturn } from './internal/close-return.ts';
import { ensureCaptured } from './internal/ensure-captured.ts';
import { getOrderEarning } from './internal/get-order-earning.ts';
import { getOrderStock } from './internal/get-order-stock.ts';
import { getPayable } from './internal/get-payable.ts';
import { listCustomerOrders } from './internal/list-customer-orders.ts';
import { returnBookings } from './returns/bookings.ts';

export const service = defineService({
  application: 'oms',
  collections: [orders, fulfillmentRecords, returnBookings],
  counters: [],
  apis: {
    'get-order-api': getOrder,
    'create-order-api': createOrder,
    'confirm-order-api': confirmOrder,
    'cancel-order-api': cancelOrder,
    'route-order-api': routeOrder,
  },
  internal: {
    'get-payable': getPayable,
    'get-order-stock': getOrderStock,
    'get-order-earning': getOrderEarning,
    'ensure-captured': ensureCaptured,
    'book-return': bookReturn,
    'close-return': closeReturn,
    'carry-out': carryOut,
    'list-customer-orders': listCustomerOrders,
  },
  events: { 'ext.fulfillment-order-changed': onFulfillmentOrderChanged, 'ext.payment-changed': onPaymentChanged },
  due: [
    finishCreation,
    finishConfirmation,
    finishCancellation,
    finishCarryOut,
    expireDraft,
    redeemVouchers,
    compensate,
    releaseHolds,
    routeDueOrder,
    capturePayments,
    serveShortLines,
    settleOrder,
    renewAuthorization,
    giveUpUncovered,
    payOutReturn,
    takeExchangeCredit,
  ],
});

/** A world starts without orders: every order is created from a basket. */
export function seed(_fixtures: Fixtures, _now: number): Seed {
  return { objects: [{ of: orders, rows: [] }] };
}
