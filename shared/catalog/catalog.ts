import type { Application } from './applications.ts';
import { addLineToBasket, checkoutBasket, createBasket, createTransaction, getProduct, voidTransaction } from './commerce/apis.ts';
import { basketCreated, checkoutCancelled, checkoutStarted } from './commerce/events.ts';
import {
  abandonBasket,
  convertBasket,
  getBasket,
  getTransaction,
  listCustomerBaskets,
  moveProduct,
  putTransactionBasket,
} from './commerce/internal.ts';
import { basket, product } from './commerce/objects.ts';
import { createCustomer, getCustomer, getCustomer360, logInteraction, searchCustomer } from './customer/apis.ts';
import { customerInteractionLogged, customerRegistered } from './customer/events.ts';
import { logCustomerInteraction, moveCustomer, putParty } from './customer/internal.ts';
import { customer } from './customer/objects.ts';
import type { EventDefinition, ObjectDefinition } from './define.ts';
import {
  carrierWebhook,
  createPickingOrder,
  createReturn,
  dispatchFulfillmentOrder,
  generateLabel,
  getFulfillmentOrder,
  labelDocument,
  trackShipment,
  updatePickingStatus,
} from './fulfillment/apis.ts';
import { fulfillmentOrderCreated, returnCreated, returnRequested, shipmentLabelGenerated } from './fulfillment/events.ts';
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
import { fulfillmentOrder, shipment } from './fulfillment/objects.ts';
import { returnObject } from './fulfillment/returns.ts';
import {
  allocateInventory,
  checkAvailability,
  confirmReservation,
  getInventory,
  getStockLocations,
  releaseReservation,
  reserveInventory,
} from './inventory/apis.ts';
import { inventoryReserved, reservationCreated } from './inventory/events.ts';
import {
  countStock,
  getBasketHold,
  getReservation,
  getStock,
  moveHold,
  moveReservation,
  recordReservation,
  recordStockMovement,
  releaseHolds,
  takeHold,
} from './inventory/internal.ts';
import { inventoryItem, reservation } from './inventory/objects.ts';
import {
  earnPoints,
  enrollLoyaltyMember,
  getMemberBalance,
  issueLoyaltyPoints,
  redeemLoyaltyPoints,
  redeemPoints,
} from './loyalty/apis.ts';
import { putLedgerEntry, putMember } from './loyalty/internal.ts';
import { loyaltyAccount } from './loyalty/objects.ts';
import { cancelOrder, confirmOrder, createOrder, getOrder, routeOrder } from './order/apis.ts';
import { orderCancelled, orderConfirmed, orderCreated } from './order/events.ts';
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
import { order } from './order/objects.ts';
import { addPayment, authorizePayment, capturePayment, refundPayment, voidPayment } from './payment/apis.ts';
import { paymentAuthorized, paymentCaptured } from './payment/events.ts';
import { listPayments, reversePayment } from './payment/internal.ts';
import { payment } from './payment/objects.ts';
import { evaluatePromotions, validateVoucher } from './promotion/apis.ts';
import { recordVoucherUse } from './promotion/internal.ts';

/** The public APIs by id: the one list from which routes, clients, documents and tests come. */
export const apis = {
  [getProduct.id]: getProduct,
  [createTransaction.id]: createTransaction,
  [voidTransaction.id]: voidTransaction,
  [createBasket.id]: createBasket,
  [addLineToBasket.id]: addLineToBasket,
  [checkoutBasket.id]: checkoutBasket,
  [searchCustomer.id]: searchCustomer,
  [getCustomer.id]: getCustomer,
  [getCustomer360.id]: getCustomer360,
  [createCustomer.id]: createCustomer,
  [logInteraction.id]: logInteraction,
  [getFulfillmentOrder.id]: getFulfillmentOrder,
  [trackShipment.id]: trackShipment,
  [dispatchFulfillmentOrder.id]: dispatchFulfillmentOrder,
  [createReturn.id]: createReturn,
  [createPickingOrder.id]: createPickingOrder,
  [generateLabel.id]: generateLabel,
  [updatePickingStatus.id]: updatePickingStatus,
  [carrierWebhook.id]: carrierWebhook,
  [labelDocument.id]: labelDocument,
  [reserveInventory.id]: reserveInventory,
  [confirmReservation.id]: confirmReservation,
  [releaseReservation.id]: releaseReservation,
  [getInventory.id]: getInventory,
  [getStockLocations.id]: getStockLocations,
  [checkAvailability.id]: checkAvailability,
  [allocateInventory.id]: allocateInventory,
  [getMemberBalance.id]: getMemberBalance,
  [enrollLoyaltyMember.id]: enrollLoyaltyMember,
  [issueLoyaltyPoints.id]: issueLoyaltyPoints,
  [redeemLoyaltyPoints.id]: redeemLoyaltyPoints,
  [earnPoints.id]: earnPoints,
  [redeemPoints.id]: redeemPoints,
  [getOrder.id]: getOrder,
  [createOrder.id]: createOrder,
  [cancelOrder.id]: cancelOrder,
  [confirmOrder.id]: confirmOrder,
  [routeOrder.id]: routeOrder,
  [authorizePayment.id]: authorizePayment,
  [capturePayment.id]: capturePayment,
  [voidPayment.id]: voidPayment,
  [refundPayment.id]: refundPayment,
  [addPayment.id]: addPayment,
  [evaluatePromotions.id]: evaluatePromotions,
  [validateVoucher.id]: validateVoucher,
} as const;

/** Calls between services, by id; the gateway has no route for them. */
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

/** The business objects. */
export const objects: readonly ObjectDefinition[] = [
  basket,
  product,
  customer,
  fulfillmentOrder,
  shipment,
  returnObject,
  reservation,
  inventoryItem,
  loyaltyAccount,
  order,
  payment,
];

/** The events of the source document. */
export const events: readonly EventDefinition[] = [
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
];

export type ApiId = keyof typeof apis;
export type InternalId = keyof typeof internalCalls;

type OwnedBy<App extends Application, Calls extends Record<string, { readonly application: Application }>> = {
  [Id in keyof Calls]: Calls[Id]['application'] extends App ? Id : never;
}[keyof Calls];

/** Ids of the public APIs that an application owns. */
export type IdsOf<App extends Application> = OwnedBy<App, typeof apis>;

/** Ids of the internal calls that an application answers. */
export type InternalIdsOf<App extends Application> = OwnedBy<App, typeof internalCalls>;

/** The event of a change for which the source document names none. */
export const changeEventOf = (objectType: string): `ext.${string}-changed` => `ext.${objectType}-changed`;

/** Whether an object is a versioned record that something moves: counters are not, and neither is a record without any move. */
const changes = (object: ObjectDefinition): boolean => 'version' in object.schema.shape && object.lifeCycle?.rows.length !== 0;

/** The additional events: one per object that changes. */
export const changeEvents: readonly EventDefinition[] = objects.filter(changes).map((object) => ({
  name: changeEventOf(object.type),
  classification: 'updated',
  object: object.type,
  meaning: `A change of the ${object.type} for which there is no other event`,
  ...(object.changeSubscribers && { subscribers: object.changeSubscribers }),
}));
