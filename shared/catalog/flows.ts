import type { ApiId } from './apis.ts';
import { type Application, applicationNames } from './applications.ts';
import type { InternalId } from './internal-calls.ts';

type CallId = ApiId | InternalId;

/** One call of a flow. `client` is a user outside the estate. */
interface FlowStep {
  readonly from: Application | 'client';
  readonly to: Application;
  readonly call: CallId;
}

/** An integration flow of the source document: the calls of its happy path, and its behaviour on failure. */
export interface FlowDefinition {
  /** Position in the list of the source document. */
  readonly number: number;
  readonly title: string;
  readonly participants: readonly [caller: Application, callee: Application];
  readonly steps: readonly FlowStep[];
  readonly onFailure: string;
}

export const flows: readonly FlowDefinition[] = [
  {
    number: 1,
    title: 'Every payment tender at the till',
    participants: ['pos', 'payment-hub'],
    steps: [
      { from: 'client', to: 'pos', call: 'create-transaction-api' },
      { from: 'pos', to: 'ecommerce-platform', call: 'put-transaction-basket' },
      { from: 'client', to: 'pos', call: 'add-payment-api' },
      { from: 'pos', to: 'payment-hub', call: 'authorize-payment-api' },
    ],
    onFailure:
      'After a declined tender, earlier tenders stay authorised. The cashier takes another tender or voids the transaction. Voiding voids all tenders, the last one first. If the outcome is unknown, repeat the request with the same key: the till checks with the Payment Hub before it takes another tender or voids. The Payment Hub voids authorisations that the transaction does not list after 15 minutes.',
  },
  {
    number: 2,
    title: 'Order submission after digital checkout',
    participants: ['ecommerce-platform', 'oms'],
    steps: [
      { from: 'client', to: 'ecommerce-platform', call: 'checkout-basket-api' },
      { from: 'ecommerce-platform', to: 'oms', call: 'create-order-api' },
      { from: 'client', to: 'payment-hub', call: 'authorize-payment-api' },
      { from: 'client', to: 'oms', call: 'confirm-order-api' },
    ],
    onFailure:
      'Creating the order is idempotent: the same basket gives the same order. At confirmation, stock of an expired reservation is reserved again once. Without stock, the authorisation is voided and the order stays in draft. A payment that awaits its customer (3-D Secure), or that approves only a part, refuses the confirmation until it is authorised or another tender pays the rest.',
  },
  {
    number: 3,
    title: 'Order creation when a transaction is paid',
    participants: ['pos', 'oms'],
    steps: [
      { from: 'client', to: 'pos', call: 'add-payment-api' },
      { from: 'pos', to: 'oms', call: 'create-order-api' },
      { from: 'oms', to: 'ecommerce-platform', call: 'convert-basket' },
      { from: 'pos', to: 'oms', call: 'confirm-order-api' },
      { from: 'pos', to: 'oms', call: 'carry-out' },
      { from: 'oms', to: 'payment-hub', call: 'capture-payment-api' },
      { from: 'oms', to: 'sim', call: 'get-reservation' },
      { from: 'oms', to: 'sim', call: 'move-reservation' },
    ],
    onFailure:
      'While the OMS is down, the till keeps the paid sale. After a day it captures the tenders that would expire. It submits the sale exactly once, as soon as the OMS answers. Goods that are missing from the stock records, or reserved for others, are still sold: the units that are not available are booked as found, and the order has a stockDiscrepancy.',
  },
  {
    number: 4,
    title: 'Stock reserved permanently when an order is confirmed',
    participants: ['oms', 'sim'],
    steps: [
      { from: 'client', to: 'oms', call: 'confirm-order-api' },
      { from: 'oms', to: 'sim', call: 'reserve-inventory-api' },
      { from: 'oms', to: 'sim', call: 'confirm-reservation-api' },
    ],
    onFailure: 'All or nothing: the refusal names every SKU that is short, no stock is reserved, and the order stays in draft.',
  },
  {
    number: 5,
    title: 'ATP calculation and allocation across nodes',
    participants: ['sim', 'inventory-service'],
    steps: [
      { from: 'client', to: 'sim', call: 'reserve-inventory-api' },
      { from: 'sim', to: 'inventory-service', call: 'take-hold' },
    ],
    onFailure:
      'If a node sells out, the next node serves the line. If no node has the stock, or the Inventory Service is down, no stock is reserved.',
  },
  {
    number: 6,
    title: 'Capture of an authorised payment after confirmation',
    participants: ['oms', 'payment-hub'],
    steps: [
      { from: 'client', to: 'wms', call: 'create-picking-order-api' },
      { from: 'wms', to: 'fms', call: 'record-picking' },
      { from: 'oms', to: 'payment-hub', call: 'list-payments' },
      { from: 'oms', to: 'payment-hub', call: 'capture-payment-api' },
      { from: 'client', to: 'fms', call: 'dispatch-fulfillment-order-api' },
      { from: 'fms', to: 'oms', call: 'ensure-captured' },
    ],
    onFailure:
      'The order stays in-fulfilment with captureStatus retrying. A refused capture is retried after 1, 5 and 30 minutes; while the Payment Hub is down, the capture waits. A capture that the provider declines ends its payment: another tender that is authorised until the last attempt is captured instead. Nothing is dispatched before captures cover shipping and all lines that are not cancelled. If all attempts are refused, or an authorisation is lost, the order is cancelled. An authorisation that expires before picking is renewed with the same tender, until 30 days after the order was created. If it is neither renewed nor replaced, the order is cancelled after a day.',
  },
  {
    number: 7,
    title: 'Points balance at the start of checkout',
    participants: ['ecommerce-platform', 'loyalty-platform'],
    steps: [
      { from: 'client', to: 'ecommerce-platform', call: 'checkout-basket-api' },
      { from: 'ecommerce-platform', to: 'loyalty-platform', call: 'get-member-balance-api' },
    ],
    onFailure:
      'If the Loyalty Platform does not answer within 800 ms, the checkout continues without points and without discounts for members, and loyalty.status is unavailable. A checkout with a voucher that may be for members only is answered with 503 or 504: repeat it later, or leave the voucher out. A loyalty card in contact is not read; e-mail or phone identify the customer. Repeat the checkout before the order exists to read the card. A contact with only a card is answered with 503 or 504.',
  },
  {
    number: 8,
    title: 'Label and tracking at dispatch, carrier updates by webhook',
    participants: ['fms', 'carrier-platform'],
    steps: [
      { from: 'client', to: 'fms', call: 'dispatch-fulfillment-order-api' },
      { from: 'fms', to: 'oms', call: 'ensure-captured' },
      { from: 'fms', to: 'sim', call: 'move-reservation' },
      { from: 'sim', to: 'inventory-service', call: 'move-hold' },
      { from: 'fms', to: 'carrier-platform', call: 'put-shipment' },
      { from: 'fms', to: 'carrier-platform', call: 'generate-label-api' },
      { from: 'carrier-platform', to: 'fms', call: 'carrier-webhook' },
      { from: 'client', to: 'carrier-platform', call: 'track-shipment-api' },
    ],
    onFailure:
      'While the carrier is down, the dispatch succeeds without a label. A later attempt or an explicit call generates it. Unsigned webhooks are refused and move nothing. Repeated and late webhooks do not move a parcel back. Without webhooks, Track Shipment still returns the position of the parcel.',
  },
];

type CallsByApplication = Readonly<Record<Application, readonly CallId[]>>;

/** @throws Error at start for an application without a row */
function defineCalls(rows: CallsByApplication): CallsByApplication {
  const missing = applicationNames.filter((name) => !Object.hasOwn(rows, name));
  if (missing.length === 0) return rows;
  throw new Error(`shared/catalog/flows.ts: add a row to calls for ${missing.join(' and ')}: the ids of the calls that it makes, or [].`);
}

/** The calls that each application makes. Its client has no others. */
export const calls = defineCalls({
  pos: [
    // The product of a scanned barcode.
    'list-products-api',
    'put-transaction-basket',
    'abandon-basket',
    'authorize-payment-api',
    // A sale that waits a day for the OMS: its goods have left, so its authorisations must not expire.
    'capture-payment-api',
    'list-payments',
    'reverse-payment',
    'create-order-api',
    'confirm-order-api',
    'carry-out',
    // A sale that costs nothing is completed when it begins. An order that is collected is paid at the till.
    'get-order-api',
    // An order that is paid when it is collected.
    'ensure-captured',
    // A client may have created an order for a transaction that is voided.
    'cancel-order-api',
  ],
  'ecommerce-platform': [
    'get-customer-api',
    'put-party',
    'check-availability-api',
    // Only a checkout with collection.
    'get-collection-point',
    // Only List Products with collectAt.
    'list-collectable',
    'get-member-balance-api',
    'evaluate-promotions-api',
    'record-voucher-use',
    'reserve-inventory-api',
    'release-reservation-api',
    // A client may have reserved stock for the basket itself.
    'get-basket-hold',
    'release-holds',
    'create-order-api',
  ],
  oms: [
    // An order with given prices has no basket.
    'list-sold-products',
    'put-party',
    'get-collection-point',
    'get-basket',
    'convert-basket',
    // What an order costs after a change.
    'price-order',
    'lower-authorization',
    'release-reservation-api',
    'get-collection-point',
    'list-payments',
    'reverse-payment',
    'confirm-reservation-api',
    'reserve-inventory-api',
    'release-holds',
    'record-voucher-use',
    'get-customer-api',
    'capture-payment-api',
    'refund-payment-api',
    // Finds a node for short lines, or the node with most stock.
    'check-availability-api',
    // Goods that leave a store: reserved units are consumed; others are carried out without a reservation.
    'get-transaction',
    'get-reservation',
    'move-reservation',
    'record-stock-movement',
    // The value of a return pays for its exchange order.
    'get-return',
    'list-returns',
    'authorize-payment-api',
    'create-fulfillment-orders',
    'cancel-fulfillment',
    'change-fulfillment',
    // Goods that were lost on their way to a store are refunded or replaced.
    'give-up-lost-goods',
    'list-fulfillment-orders',
  ],
  fms: [
    'allocate-inventory-api',
    'ensure-captured',
    // What the customers of collections still pay.
    'list-outstanding',
    'move-reservation',
    'record-stock-movement',
    'put-shipment',
    'put-collection-unit',
    'generate-label-api',
    'track-shipment-api',
    'book-return',
    'close-return',
  ],
  // With `time` or `immediate` progression, the warehouse dispatches packed orders.
  wms: ['record-picking', 'get-stock', 'dispatch-fulfillment-order-api'],
  // As from a real carrier, the webhook is signed and goes through the gateway.
  'carrier-platform': ['get-shipment-data', 'carrier-webhook'],
  'payment-hub': ['get-payable', 'announce-refund', 'get-transaction', 'put-ledger-entry'],
  // A client confirms a reservation only for an order that exists, at the OMS or at a till.
  sim: ['get-basket', 'get-order-stock', 'get-transaction', 'get-stock', 'take-hold', 'move-hold'],
  // Finds the reservation that the order already has. Only the till stores a sale that is not paid yet.
  'inventory-service': ['record-reservation', 'get-reservation', 'list-order-holds', 'get-order-stock', 'get-transaction'],
  'promotion-engine': ['get-basket', 'get-customer-api', 'get-member-balance-api'],
  // The OMS already has the amount that earns points when its event has not arrived.
  'loyalty-platform': ['get-order-earning'],
  // The Loyalty Platform returns the owner of a card that was given at checkout.
  crm: ['get-member-balance-api', 'put-member', 'put-ledger-entry'],
  'clienteling-app': [
    'get-customer-api',
    'get-member-balance-api',
    'list-customer-orders',
    'list-customer-baskets',
    'list-returns',
    'log-customer-interaction',
  ],
});

/** The applications that make a call. Without one, only clients or the control plane make it. */
export const callersOf = (id: string): readonly Application[] => applicationNames.filter((application) => mayCall(application, id));

export const mayCall = (application: Application, id: string): boolean => (calls[application] as readonly string[]).includes(id);
