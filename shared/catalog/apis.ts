import type { Application } from './applications.ts';
import { addLineToBasket, checkoutBasket, createBasket, createTransaction, getProduct, voidTransaction } from './commerce/apis.ts';
import { createCustomer, getCustomer, getCustomer360, logInteraction, searchCustomer } from './customer/apis.ts';
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
import {
  allocateInventory,
  checkAvailability,
  confirmReservation,
  getInventory,
  getStockLocations,
  releaseReservation,
  reserveInventory,
} from './inventory/apis.ts';
import {
  earnPoints,
  enrollLoyaltyMember,
  getMemberBalance,
  issueLoyaltyPoints,
  listLedgerEntries,
  redeemLoyaltyPoints,
  redeemPoints,
} from './loyalty/apis.ts';
import { cancelOrder, confirmOrder, createOrder, getOrder, routeOrder } from './order/apis.ts';
import { addPayment, authorizePayment, capturePayment, refundPayment, voidPayment } from './payment/apis.ts';
import { evaluatePromotions, validateVoucher } from './promotion/apis.ts';

/** The public APIs by id. Routes, clients, documents and tests derive from this list. */
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
  [listLedgerEntries.id]: listLedgerEntries,
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

export type ApiId = keyof typeof apis;

/** Ids of the calls in a record that an application owns. */
export type OwnedBy<App extends Application, Calls extends Record<string, { readonly application: Application }>> = {
  [Id in keyof Calls]: Calls[Id]['application'] extends App ? Id : never;
}[keyof Calls];

export type IdsOf<App extends Application> = OwnedBy<App, typeof apis>;
