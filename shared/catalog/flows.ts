import type { ApiId } from './apis.ts';
import type { Application } from './applications.ts';
import type { InternalId } from './internal-calls.ts';

type CallId = ApiId | InternalId;

/** One call of a flow; `client` is whoever uses the estate from outside. */
export interface FlowStep {
  readonly from: Application | 'client';
  readonly to: Application;
  readonly call: CallId;
}

/** An integration flow of the source document: its happy path call by call, and what happens when it breaks. */
export interface FlowDefinition {
  /** Its place in the source document's list. */
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
      'A tender that is declined leaves those before it authorised: the cashier takes another one, or voids the transaction, which voids them all, the last one first. When the outcome is unknown, repeat with the same key; the till asks the Payment Hub before it takes another tender or voids. What it does not list, the Payment Hub voids after 15 minutes.',
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
      'Creating the order may be repeated: the same basket gives the same order. A hold that has run out is taken again once at confirmation; without stock the authorisation is voided and the order stays draft.',
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
      'While the OMS is down the till keeps the paid sale and submits it as soon as it can; it is submitted once. Goods that no counter knew of are carried out all the same: they are booked as found, and the order says so.',
  },
  {
    number: 4,
    title: 'Stock held for good when an order is confirmed',
    participants: ['oms', 'sim'],
    steps: [
      { from: 'client', to: 'oms', call: 'confirm-order-api' },
      { from: 'oms', to: 'sim', call: 'reserve-inventory-api' },
      { from: 'oms', to: 'sim', call: 'confirm-reservation-api' },
    ],
    onFailure: 'All or nothing: the refusal names every SKU that is short, nothing is held, and the order stays draft.',
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
      'A node that is sold out in between gives way to the next one; without any, nothing is held. While the Inventory Service is down nothing is held either.',
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
      'The order stays in fulfilment with captureStatus retrying and is tried again after 1, 5 and 30 minutes; nothing is dispatched while the lines not cancelled and the shipping are not covered. When all attempts have failed, or an authorisation is lost by then, the order is cancelled. One that runs out before picking is authorised again with the same tender; without success the order is cancelled after a day.',
  },
  {
    number: 7,
    title: 'Points balance at the start of checkout',
    participants: ['ecommerce-platform', 'loyalty-platform'],
    steps: [
      { from: 'client', to: 'ecommerce-platform', call: 'checkout-basket-api' },
      { from: 'ecommerce-platform', to: 'loyalty-platform', call: 'get-member-balance-api' },
    ],
    onFailure: 'Without an answer within 800 ms the checkout goes on without points and says so.',
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
      'While the carrier is down the dispatch succeeds without a label, which is made by a later attempt or an explicit call. A webhook that is not signed is refused and moves nothing; one that is repeated or late moves nothing back. Without webhooks Track Shipment still tells where the parcel is.',
  },
];

/** What each application calls of others. Its client offers nothing else. */
export const calls = {
  pos: [
    'put-transaction-basket',
    'abandon-basket',
    'authorize-payment-api',
    'list-payments',
    'reverse-payment',
    'create-order-api',
    'confirm-order-api',
    'carry-out',
    // Of a voided transaction that somebody made an order of by hand.
    'cancel-order-api',
  ],
  'ecommerce-platform': [
    'get-customer-api',
    'put-party',
    'check-availability-api',
    'get-member-balance-api',
    'evaluate-promotions-api',
    'record-voucher-use',
    'reserve-inventory-api',
    'release-reservation-api',
    // What a client had held for the basket by hand.
    'get-basket-hold',
    'release-holds',
    'create-order-api',
  ],
  oms: [
    'get-basket',
    'convert-basket',
    'list-payments',
    'reverse-payment',
    'confirm-reservation-api',
    'reserve-inventory-api',
    'release-holds',
    'record-voucher-use',
    'get-customer-api',
    'capture-payment-api',
    'refund-payment-api',
    // A node for lines that were short elsewhere, or the one with most stock.
    'check-availability-api',
    // What a customer carries out of a store: as much as is held leaves the hold, the rest nobody knew of.
    'get-transaction',
    'get-reservation',
    'move-reservation',
    'record-stock-movement',
    // What comes back pays for its exchange.
    'get-return',
    'list-returns',
    'authorize-payment-api',
    'create-fulfillment-orders',
    'cancel-fulfillment',
    'list-fulfillment-orders',
  ],
  fms: [
    'allocate-inventory-api',
    'ensure-captured',
    'move-reservation',
    'record-stock-movement',
    'put-shipment',
    'generate-label-api',
    'book-return',
    'close-return',
  ],
  // A warehouse that works by itself also hands over what it has packed.
  wms: ['record-picking', 'get-stock', 'dispatch-fulfillment-order-api'],
  // The webhook goes through the gateway, signed, as any carrier's does.
  'carrier-platform': ['get-shipment-data', 'carrier-webhook'],
  'payment-hub': ['get-payable', 'get-transaction', 'put-ledger-entry'],
  sim: ['get-basket', 'get-stock', 'take-hold', 'move-hold'],
  // What the order of an allocation holds already; a sale that is not paid yet is known at its till alone.
  'inventory-service': ['record-reservation', 'get-reservation', 'get-order-stock', 'get-transaction'],
  'promotion-engine': ['get-basket', 'get-customer-api', 'get-member-balance-api'],
  // What an order earns the OMS says, before its event has come.
  'loyalty-platform': ['get-order-earning'],
  // A loyalty card given at checkout belongs to a customer: the Loyalty Platform knows whose it is.
  crm: ['get-member-balance-api', 'put-member', 'put-ledger-entry'],
  'clienteling-app': [
    'get-customer-api',
    'get-member-balance-api',
    'list-customer-orders',
    'list-customer-baskets',
    'list-returns',
    'log-customer-interaction',
  ],
} as const satisfies Record<Application, readonly CallId[]>;

/** Ids of what an application may call. */
export type CallsOf<App extends Application> = (typeof calls)[App][number];

/** Whether an application may call an API: only what is listed above. */
export const mayCall = (application: Application, id: string): boolean => (calls[application] as readonly string[]).includes(id);
