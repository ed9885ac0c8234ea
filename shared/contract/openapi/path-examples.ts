import { basket } from '../../catalog/commerce/objects.ts';
import type { ObjectDefinition } from '../../catalog/define-object.ts';
import { objectExamples } from '../../catalog/examples.ts';
import { fulfillmentOrder } from '../../catalog/fulfillment/fulfillment-orders.ts';
import { returnObject } from '../../catalog/fulfillment/returns.ts';
import { shipment } from '../../catalog/fulfillment/shipments.ts';
import { reservation } from '../../catalog/inventory/objects.ts';
import { order } from '../../catalog/order/objects.ts';
import { payment } from '../../catalog/payment/objects.ts';
import { refundId } from '../../catalog/payment/refunds.ts';

const idOf = ({ type }: ObjectDefinition): string =>
  String(objectExamples.find(({ definition }) => definition.type === type)?.object['id']);

const ORDER = idOf(order);
const PAYMENT = idOf(payment);
const FULFILLMENT = idOf(fulfillmentOrder);
/** The id in the example of a business object, after the folder of its type: `orders`. */
const idAfter = (folder: string): unknown => objectExamples.find(({ definition }) => `${definition.type}s` === folder)?.object['id'];
const WITHOUT_PREFIX = ORDER.slice('ord_'.length);

/** Examples of the parameter after a folder of the path that is not named after a business object. New worlds have the data of the fixtures; other ids have the form of the estate's ids. */
const AFTER: Readonly<Record<string, string>> = {
  'basket-holds': idOf(basket),
  'by-transaction': ORDER,
  calls: 'get-payable',
  'collection-points': 'store-01',
  'collection-units': idOf(shipment),
  customers: 'cus_ada',
  deliveries: '1',
  events: `evt_${WITHOUT_PREFIX}`,
  faults: 'slow',
  'gift-cards': 'gift_5',
  holds: idOf(reservation),
  'ledger-entries': 'earn',
  members: 'loy_ada',
  accounts: 'loy_ada',
  parties: idOf(basket),
  'payment-tokens': 'tok_mine',
  authorizations: PAYMENT,
  'picking-orders': FULFILLMENT.replace('ful_', 'pck_'),
  products: 'mug-blue',
  promotions: 'prm_woolly-ridge-15',
  rehearsals: 'default',
  runs: `run_${WITHOUT_PREFIX}`,
  snapshots: 'mine',
  transactions: ORDER,
  'voucher-uses': idOf(basket),
  vouchers: 'WELCOME10',
  webhooks: 'shop',
};

/** Examples of parameters that have the same meaning in every path. */
const NAMED: Readonly<Record<string, string>> = {
  application: 'payment-hub',
  file: `${idOf(shipment)}.pdf`,
  lineId: `${idOf(basket)}-1`,
  locationId: 'dc-01',
  orderId: ORDER,
  reference: ORDER,
  refundId: refundId(PAYMENT, 0),
  rehearsal: 'default',
  requestId: `req_${WITHOUT_PREFIX}`,
  returnId: idOf(returnObject),
  sku: 'mug-blue',
  type: order.type,
};

/** Paths whose folder has another meaning. */
const OF_PATH: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/fulfillment/orders/{id}': { id: FULFILLMENT },
  '/fulfillment/orders/{id}/dispatch': { id: FULFILLMENT },
  '/fulfillment/orders/{id}/hand-over': { id: FULFILLMENT },
  '/fulfillment/orders/{id}/extend': { id: FULFILLMENT },
  '/internal/ledger-entries/{type}/{reference}': { type: 'earn' },
  '/internal/members/{customerId}': { customerId: 'cus_ada' },
  '/_control/products/{id}/{verb}': { verb: 'suspend' },
};

/**
 * An example of a path parameter: data of every new world, or an id as the estate makes them.
 * @param verb the move of an object that the last segment names
 * @throws Error when the path has no example
 */
export function examplesOfPath(path: string, verb = ''): Readonly<Record<string, string>> {
  const segments = path.split('/');
  return Object.fromEntries(
    segments.flatMap((segment, place) => {
      const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
      if (name === undefined) return [];
      const folder = segments[place - 1] ?? '';
      const isOfType = folder.startsWith('{');
      const isVerb = name === 'verb' || name === 'scan';
      const example = OF_PATH[path]?.[name] ?? (isVerb ? verb : (NAMED[name] ?? (isOfType ? ORDER : (AFTER[folder] ?? idAfter(folder)))));
      if (!example) throw new Error(`shared/contract/openapi/path-examples.ts: give an example of {${name}} in ${path}.`);
      return [[name, String(example)]];
    }),
  );
}
