import { expect, test } from '@jest/globals';
import type { z } from 'zod';
import { registeredApplications } from '../../estate/registry.ts';
import { KEPT_SCANS, LIMITS, MOST_LOCATIONS_PER_LINE } from '../../shared/catalog/limits.ts';
import { SHOWN_ENTRIES } from '../../shared/catalog/loyalty/objects.ts';
import { MOST_METADATA } from '../../shared/catalog/shapes.ts';

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** The opening hours of a store. */
const hoursOf = (place: string): Readonly<Record<string, string>> => {
  const members = ['closedDays', ...WEEKDAYS.map((day) => `openingHours.${day}`)];
  const before = place.endsWith(':') ? `${place} ` : `${place}.`;
  return Object.fromEntries(members.map((member) => [`${before}${member}[]`, 'fixtures']));
};

/**
 * Every list inside a stored object, with its bound. An object is stored, published and journalled as a whole, so a list without a
 * bound makes each change more expensive than the last. A list that cannot be bounded becomes separate objects.
 */
const bounds: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['crm customers', 'ecommerce-platform baskets', 'fms returns', 'oms orders', 'payment-hub payments'].map((of) => [
      `${of}: metadata{}`,
      `requests give ${MOST_METADATA}`,
    ]),
  ),
  ...Object.fromEntries(
    ['crm', 'ecommerce-platform', 'fms', 'oms', 'payment-hub'].map((of) => [`${of} references: content{}`, 'the members of a request']),
  ),
  'pos transactions: basket.lines[]': 'lines of the basket',
  'pos transactions: basket.metadata{}': 'metadata of the basket',
  'pos transactions: basket.totals.taxes[]': 'the rates of its lines',
  'pos transactions: collection.order.totals.taxes[]': 'the rates of its lines',
  'pos transactions: basket.vouchers[]': 'vouchers of the basket',
  'pos transactions: collection.order.changes[]': `${LIMITS.changes}`,
  'pos transactions: collection.order.changes[].removed[]': 'lines of the order',
  'pos transactions: collection.order.lines[]': 'lines of the order',
  'pos transactions: collection.order.lines[].nodes[]': `${MOST_LOCATIONS_PER_LINE}`,
  'pos transactions: collection.order.metadata{}': 'members of the request',
  'pos transactions: collection.order.earningRefunds[]': 'refunds of the payments of the order',
  'pos transactions: collection.order.reconciliation[]': 'one per fulfillment order',
  'pos transactions: collection.order.replacements[]': `requests add ${LIMITS.replacements}`,
  'pos transactions: collection.order.replacements[].lines[]': 'lines of the order, per lost fulfillment order',
  'pos transactions: tenders[]': `requests add ${LIMITS.tenders}, and an order that is collected has ${LIMITS.payments} payments of its customer`,
  'pos transactions: tenders[].refunds[]': 'refunds of the payment, as the Payment Hub bounds them',
  'pos transactions: asked[]': 'the last 50 requests',
  'pos transactions: voidedBy[]': 'the last 50 requests',
  'pos transactions: opening.earlierPayments[]': 'payments that completed transactions of the order took',
  'ecommerce-platform products: attributes{}': 'fixtures',
  'ecommerce-platform products: media[]': 'fixtures',
  'ecommerce-platform baskets: lines[]': `requests add ${LIMITS.lines}`,
  'ecommerce-platform baskets: totals.taxes[]': 'the rates of its lines',
  'ecommerce-platform baskets: vouchers[]': 'the codes of the last checkout, at most 10',
  'ecommerce-platform checkouts: asked.items[]': 'lines of the basket',
  'ecommerce-platform checkouts: pricing.productTaxes[]': 'lines of the basket',
  'oms orders: lines[]': 'lines of the basket',
  'oms orders: lines[].nodes[]': `${MOST_LOCATIONS_PER_LINE}`,
  'oms orders: pendingChange.lines[].nodes[]': `${MOST_LOCATIONS_PER_LINE}`,
  'oms orders: totals.taxes[]': 'the rates of its lines',
  'oms orders: changes[]': `${LIMITS.changes}`,
  'oms orders: changes[].removed[]': 'lines of the order',
  'oms orders: pendingChange.asked.lines[]': 'lines of the request',
  'oms orders: pendingChange.entry.removed[]': 'lines of the order',
  'oms orders: pendingChange.fulfillment.lines[]': 'lines of the order',
  'oms orders: pendingChange.lines[]': 'lines of the order',
  'oms orders: pendingChange.totals.taxes[]': 'the rates of its lines',
  'oms orders: pendingChange.surplus[]': 'one per location and reservation of the order',
  'oms orders: pendingChange.surplus[].lines[]': 'lines of the order',
  'oms orders: undo.release[]': 'reservations of the lines, and one per change',
  'oms orders: undo.surplus[]': 'one per change and location',
  'oms orders: undo.surplus[].lines[]': 'lines of the order',
  'oms orders: earningRefunds[]': 'refunds of the payments of the order',
  'oms orders: reconciliation[]': 'one per fulfillment order',
  'oms orders: replacements[]': `requests add ${LIMITS.replacements}`,
  'oms orders: replacements[].lines[]': 'lines of the order, per lost fulfillment order',
  'oms orders: voucherCodes[]': 'vouchers of the basket',
  'oms orders: undo.payments[]': 'payments of the order',
  'oms orders: undo.holds.spare[]': 'one per fulfillment order',
  'oms fulfilment-records: seen[]': 'fulfillment orders: one per location at first, then one per short line and location, each tried once',
  'oms fulfilment-records: seen[].lines[]': 'lines of the order',
  'oms fulfilment-records: short[]': 'one per line and location',
  'oms fulfilment-records: owed[]': 'one per fulfillment order and line',
  'oms fulfilment-records: replacements[]': `requests add ${LIMITS.replacements}`,
  'oms fulfilment-records: replacements[].lines[]': 'lines of the order, per lost fulfillment order',
  'oms fulfilment-records: replacements[].held.groups[]': 'one per location',
  'oms fulfilment-records: replacements[].held.groups[].lines[]': 'lines of the replacement',
  'oms fulfilment-records: replacements[].held.groups[].units[]': 'lines of the group',
  'oms return-bookings: lines[]': 'lines of the order',
  'payment-hub payments: refunds[]': `requests add ${LIMITS.refunds}, then the rest of each return; the estate adds one per return or cancelled units`,
  'payment-hub payments: disputes[]': `requests add ${LIMITS.disputes}`,
  'sim reservations: items[]': 'the request, at most 200',
  'sim reservations: allocations[]': 'one per item and location',
  'sim attempts: items[]': 'the request, at most 200',
  'sim attempts: replaces[]': 'the open reservation of the basket, and one per line that the request names',
  'sim movements: allocations[]': 'allocations of the reservation',
  'inventory-service holds: allocations[]': 'allocations of the reservation',
  'inventory-service holds: moved[]': 'one per fulfillment order, and per line that was short',
  'inventory-service holds: moved[].allocations[]': 'allocations of the reservation',
  'inventory-service holds: short[]': 'items of the request',
  'fms fulfillment-orders: lines[]': 'lines of the order',
  'fms fulfillment-orders: shipments[]': 'one parcel',
  'fms fulfillment-orders: pickingSteps[]': 'each status once',
  'fms fulfillment-orders: refused[]': 'lines of the fulfillment order',
  ...hoursOf('fms nodes: hours'),
  ...hoursOf('wms stores:'),
  ...hoursOf('inventory-service locations:'),
  'fms order-fulfilments: attempts[]': 'one per routing and per short line and location',
  'fms returns: lines[]': 'lines of the order',
  'fms returns: refunds[]': 'refunds of the payments of the order',
  'fms returns: shipments[]': 'one parcel',
  'wms picking-orders: lines[]': 'lines of the fulfillment order',
  'wms intended-moves: move.lines[]': 'lines of the fulfillment order',
  'carrier-platform shipments: events[]': `the newest ${KEPT_SCANS}`,
  'carrier-platform carrier-services: scans[]': 'fixtures',
  'promotion-engine promotions: rule.skus[]': 'fixtures',
  'promotion-engine promotions: rule.tiers[]': 'the tiers',
  'promotion-engine vouchers: voucher.tiers[]': 'the tiers',
  'promotion-engine basket-vouchers: codes[]': 'the codes of a checkout, at most 10',
  'loyalty-platform accounts: entries[]': `the newest ${SHOWN_ENTRIES}`,
  'loyalty-platform earnings: earned.deducted[]': 'refunds of the payments of the order',
  'loyalty-platform earnings: refunds[]': 'refunds of the payments of the order',
  'crm customers: addresses[]': 'fixtures',
  'crm customers: interactions[]': 'the newest 20',
};

/** The internal definition of a zod schema. */
type Definition = z.core.$ZodTypes['_zod']['def'];
const definitionOf = (schema: unknown): Definition => (schema as z.core.$ZodTypes)._zod.def;

/** The paths of the lists in a schema. A record is a list of members. */
function* listsIn(schema: unknown, path = ''): Generator<string> {
  const definition = definitionOf(schema);
  switch (definition.type) {
    case 'array':
      yield `${path}[]`;
      yield* listsIn(definition.element, `${path}[]`);
      break;
    case 'record':
      yield `${path}{}`;
      yield* listsIn(definition.valueType, `${path}{}`);
      break;
    case 'object':
      for (const [name, member] of Object.entries(definition.shape)) yield* listsIn(member, path === '' ? name : `${path}.${name}`);
      break;
    case 'union':
      for (const option of definition.options) yield* listsIn(option, path);
      break;
    case 'pipe':
      yield* listsIn(definition.in, path);
      yield* listsIn(definition.out, path);
      break;
    case 'optional':
    case 'nullable':
    case 'default':
    case 'readonly':
      yield* listsIn(definition.innerType, path);
      break;
    case 'string':
    case 'number':
    case 'boolean':
    case 'literal':
    case 'enum':
      break;
    default:
      throw new Error(`${path}: this test does not look into a schema of the type ${definition.type}.`);
  }
}

test('Every list inside a stored object has a bound (a new one needs a limit in shared/catalog/limits.ts, keeps its newest entries, or becomes separate objects)', () => {
  const found = registeredApplications.flatMap(({ service: { application, collections } }) =>
    collections.flatMap(({ name, schema }) => [...new Set(listsIn(schema))].map((path) => `${application} ${name}: ${path}`)),
  );
  expect(found.toSorted()).toEqual(Object.keys(bounds).toSorted());
});
