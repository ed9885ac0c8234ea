import { type Application, applications } from '../../shared/catalog/applications.ts';
import { customerLifeCycle } from '../../shared/catalog/customer/objects.ts';
import { dueWork } from '../../shared/catalog/due-work.ts';
import { isAtCounter } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { shipmentLifeCycle } from '../../shared/catalog/fulfillment/shipments.ts';
import { allowedFrom } from '../../shared/catalog/life-cycle.ts';
import { isUndecided } from '../../shared/catalog/payment/cover.ts';
import { dueKey } from '../../shared/store/ports/due-work.ts';
import type { Check } from './invariant.ts';
import type { Basket, Customer, FulfillmentOrder, Order, Payment, Reservation, Shipment } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

/** Records whose application commits due work together with them. Without the work, such a record would keep its state forever. */
interface Waiting {
  readonly application: Application;
  readonly collection: string;
  /** Type of the object that has the id of the record. */
  readonly type: string;
  /** The kinds of work for a record, each under its id. One of them is enough. None: the record does not wait. */
  readonly kinds: (record: never) => readonly string[];
}

type Place = readonly [application: Application, collection: string, type: string];

const rule = <T>([application, collection, type]: Place, kinds: (record: T) => readonly string[]): Waiting => ({
  application,
  collection,
  type,
  kinds,
});

const when = <T>(place: Place, waits: (record: T) => boolean, ...kinds: readonly string[]): Waiting =>
  rule<T>(place, (record) => (waits(record) ? kinds : []));

const FINISHES = {
  confirm: 'finish-confirmation',
  route: 'route-order',
  change: 'finish-change',
  cancel: 'finish-cancellation',
  'carry-out': 'finish-carry-out',
};
const BECOMES_IDLE = allowedFrom(customerLifeCycle, 'idle');
const MAY_BE_LOST = allowedFrom(shipmentLifeCycle, 'lose');
const PAYMENTS = ['payment-hub', 'payments', 'payment'] as const;
const ORDERS = ['oms', 'orders', 'order'] as const;
const BASKETS = ['ecommerce-platform', 'baskets', 'basket'] as const;
const FULFILLMENT_ORDERS = ['fms', 'fulfillment-orders', 'fulfillment-order'] as const;

/** A record of planned steps has the time of the next one, unless its progression is manual. */
const waiting: readonly Waiting[] = [
  when<Order>(ORDERS, ({ state }) => state === 'draft', 'expire-draft'),
  rule<Order>(ORDERS, ({ pendingAction }) => (pendingAction ? [FINISHES[pendingAction.action]] : [])),
  when<Order>(ORDERS, ({ captureStatus }) => captureStatus === 'retrying', 'capture-payments'),
  when<Order>(ORDERS, ({ routingStatus }) => routingStatus === 'retrying', 'route-order'),
  when<Payment>(PAYMENTS, isUndecided, 'give-up-payment'),
  when<Payment & { readonly awaiting?: string }>(PAYMENTS, ({ awaiting }) => awaiting === 'provider-approval', 'approve-payment'),
  when<Payment>(
    PAYMENTS,
    ({ state, authorizationExpiresAt }) => state === 'authorised' && authorizationExpiresAt !== undefined,
    'expire-authorization',
  ),
  when<Basket>(BASKETS, ({ state }) => state === 'open', 'basket-idle'),
  when<Basket>(BASKETS, ({ state, transactionId }) => state === 'locked' && transactionId === undefined, 'checkout-ttl'),
  when<Reservation>(
    ['sim', 'reservations', 'reservation'],
    ({ state, expiresAt }) => state === 'requested' && expiresAt !== undefined,
    'expire-reservation',
  ),
  when<FulfillmentOrder>(FULFILLMENT_ORDERS, ({ state }) => state === 'created', 'allocate'),
  when<FulfillmentOrder>(
    FULFILLMENT_ORDERS,
    ({ state, failureReason }) => state === 'failed-delivery' && failureReason !== 'lost',
    'give-up-delivery',
  ),
  when<{ stepAt?: number }>(['wms', 'warehouse-tasks', 'fulfillment-order'], ({ stepAt }) => stepAt !== undefined, 'warehouse-step'),
  when<{ scanAt?: number }>(['carrier-platform', 'journeys', 'shipment'], ({ scanAt }) => scanAt !== undefined, 'planned-scan'),
  when<Shipment>(
    ['carrier-platform', 'shipments', 'shipment'],
    // A carrier may bring the goods of a collection to their store. At the counter, nothing loses them.
    ({ state, kind }) => MAY_BE_LOST.includes(state) && !(kind === 'collection' && state === 'held-at-depot'),
    'give-up-parcel',
  ),
  when<FulfillmentOrder>(FULFILLMENT_ORDERS, isAtCounter, 'give-up-collection'),
  // A return that is being rejected keeps its planned step until the rejection has ended.
  when<{ stepAt?: number }>(['fms', 'return-tasks', 'return'], ({ stepAt }) => stepAt !== undefined, 'return-step', 'finish-rejection'),
  when<{ state: string }>(['pos', 'transactions', 'transaction'], ({ state }) => state === 'open', 'expire-transaction'),
  when<Customer>(
    ['crm', 'customers', 'customer'],
    ({ state, lastActivityAt }) => BECOMES_IDLE.includes(state) && lastActivityAt !== undefined,
    'idle',
  ),
];

/** Checks that records have the work that they wait for. Parked work counts: another invariant reports it. */
export function checkPromisedWork({ records, due, parked, swapped }: WorldRecords, check: Check): void {
  const known = new Set([...due.map(({ application, kind, key }) => dueKey(application, kind, key)), ...parked.map(({ key }) => key)]);
  for (const { application, collection, type, kinds } of waiting) {
    if (swapped.has(application)) continue;
    for (const record of records<{ readonly id: string }>(application, collection)) {
      const wanted = kinds(record as never);
      const [kind = ''] = wanted;
      if (wanted.length === 0) continue;
      const does = dueWork[application]?.[kind]?.does ?? kind;
      check(
        wanted.some((one) => known.has(dueKey(application, one, record.id))),
        `${type}/${record.id}: it waits for the ${applications[application].title}, which ${does}, and this work (${kind}) is missing`,
      );
    }
  }
}
