import type { OwnedBy } from './apis.ts';
import type { Application } from './applications.ts';
import {
  abandonBasket,
  convertBasket,
  getBasket,
  getTransaction,
  listCustomerBaskets,
  moveProduct,
  putTransactionBasket,
} from './commerce/internal.ts';
import { logCustomerInteraction, moveCustomer, putParty } from './customer/internal.ts';
import {
  applyCarrierProgression,
  applyReturnsProgression,
  applyWarehouseProgression,
  cancelFulfillment,
  createFulfillmentOrders,
  getReturn,
  getShipmentData,
  listFulfillmentOrders,
  listReturns,
  moveReturn,
  putShipment,
  recordPicking,
  scanShipment,
} from './fulfillment/internal.ts';
import {
  countStock,
  getBasketHold,
  getReservation,
  getStock,
  listOrderHolds,
  moveHold,
  moveReservation,
  recordReservation,
  recordStockMovement,
  releaseHolds,
  takeHold,
} from './inventory/internal.ts';
import { putLedgerEntry, putMember } from './loyalty/internal.ts';
import {
  bookReturn,
  carryOut,
  closeReturn,
  ensureCaptured,
  getOrderEarning,
  getOrderStock,
  getPayable,
  listCustomerOrders,
} from './order/internal.ts';
import { listPayments, reversePayment } from './payment/internal.ts';
import { recordVoucherUse } from './promotion/internal.ts';

/** Calls between applications by id. The gateway has no routes for them. */
export const internalCalls = {
  [getBasket.id]: getBasket,
  [convertBasket.id]: convertBasket,
  [putTransactionBasket.id]: putTransactionBasket,
  [abandonBasket.id]: abandonBasket,
  [listCustomerBaskets.id]: listCustomerBaskets,
  [moveProduct.id]: moveProduct,
  [getTransaction.id]: getTransaction,
  [putParty.id]: putParty,
  [logCustomerInteraction.id]: logCustomerInteraction,
  [moveCustomer.id]: moveCustomer,
  [getStock.id]: getStock,
  [takeHold.id]: takeHold,
  [moveHold.id]: moveHold,
  [recordReservation.id]: recordReservation,
  [getBasketHold.id]: getBasketHold,
  [listOrderHolds.id]: listOrderHolds,
  [releaseHolds.id]: releaseHolds,
  [getReservation.id]: getReservation,
  [moveReservation.id]: moveReservation,
  [recordStockMovement.id]: recordStockMovement,
  [countStock.id]: countStock,
  [createFulfillmentOrders.id]: createFulfillmentOrders,
  [cancelFulfillment.id]: cancelFulfillment,
  [listFulfillmentOrders.id]: listFulfillmentOrders,
  [recordPicking.id]: recordPicking,
  [listReturns.id]: listReturns,
  [getReturn.id]: getReturn,
  [moveReturn.id]: moveReturn,
  [putShipment.id]: putShipment,
  [getShipmentData.id]: getShipmentData,
  [scanShipment.id]: scanShipment,
  [applyCarrierProgression.id]: applyCarrierProgression,
  [applyWarehouseProgression.id]: applyWarehouseProgression,
  [applyReturnsProgression.id]: applyReturnsProgression,
  [putLedgerEntry.id]: putLedgerEntry,
  [putMember.id]: putMember,
  [getPayable.id]: getPayable,
  [getOrderStock.id]: getOrderStock,
  [getOrderEarning.id]: getOrderEarning,
  [ensureCaptured.id]: ensureCaptured,
  [carryOut.id]: carryOut,
  [listCustomerOrders.id]: listCustomerOrders,
  [bookReturn.id]: bookReturn,
  [closeReturn.id]: closeReturn,
  [listPayments.id]: listPayments,
  [reversePayment.id]: reversePayment,
  [recordVoucherUse.id]: recordVoucherUse,
} as const;

export type InternalId = keyof typeof internalCalls;

export type InternalIdsOf<App extends Application> = OwnedBy<App, typeof internalCalls>;
