import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { apis } from '../../shared/catalog/apis.ts';
import { applicationNames, applications } from '../../shared/catalog/applications.ts';
import { type ApiDefinition, namesRehearsal } from '../../shared/catalog/define.ts';
import { events } from '../../shared/catalog/events.ts';
import { calls, flows, mayCall } from '../../shared/catalog/flows.ts';
import { PickingStatus, pickingMoves } from '../../shared/catalog/fulfillment/picking-orders.ts';
import { Scan, shipmentLifeCycle } from '../../shared/catalog/fulfillment/shipments.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { objects } from '../../shared/catalog/objects.ts';

/** The rows of the source document's table of APIs; † marks entries that it does not show. */
const documentedApis = `
| Get Product (get-product-api) | GET /products/{id} | query | eCommerce Platform | none | none | product | none |
| Create Transaction (create-transaction-api) | POST /transactions | command | POS | bearer | none listed | order | checkout-started |
| Void Transaction (void-transaction-api) | POST /transactions/{id}/void | action | POS | bearer | none listed | order | checkout-cancelled |
| Create Basket (create-basket-api) | POST /baskets | command | eCommerce Platform | bearer | none listed | basket | basket-created |
| Add Line to Basket † | POST /baskets/{id}/lines | command | eCommerce Platform | unlisted | † | † | † |
| Checkout Basket † | POST /baskets/{id}/checkout | action | eCommerce Platform | unlisted | † | † | † |
| Search Customer † | GET /customers | query | CRM | unlisted | † | † | † |
| Get Customer † | GET /customers/{id} | query | CRM | unlisted | † | † | † |
| Get Customer 360 † | GET /customers/{id}/360 | query | Clienteling App | unlisted | † | † | † |
| Create Customer (create-customer-api) | POST /customers | command | CRM | bearer | customer | customer | customer-registered |
| Log Customer Interaction (log-interaction-api) | POST /interactions | command | Clienteling App | bearer | customer | customer | customer-interaction-logged |
| Get Fulfillment Order (get-fulfillment-order-api) | GET /fulfillment/orders/{id} | query | FMS | bearer | none | fulfillment-order | none |
| Track Shipment (track-shipment-api) | GET /shipments/{id}/tracking | query | Carrier Platform | api-key | none | shipment | none |
| Dispatch Fulfillment Order † | POST /fulfillment/orders/{id}/dispatch | action | FMS | unlisted | † | † | † |
| Create Return (create-return-api) | POST /returns | command | FMS | bearer | order | return | return-requested, return-created |
| Create Picking Order † | POST /picking-orders | command | WMS | unlisted | † | † | † |
| Generate Shipping Label (generate-label-api) | POST /shipments/{id}/label | command | Carrier Platform | api-key | none listed | shipment | shipment-label-generated |
| Update Picking Status † | PUT /picking-orders/{id}/status | action | WMS | unlisted | † | † | † |
| Release Reservation † | DELETE /inventory/reservations/{id} | action | SIM | unlisted | † | † | † |
| Get Inventory † | GET /inventory/items/{sku} | query | SIM | unlisted | † | † | † |
| Get Stock Locations (get-stock-locations-api) | GET /stock/{sku}/locations | query | WMS | bearer | none | inventory-item | none |
| Check Availability † | GET /inventory/{sku}/availability | query | Inventory Service | unlisted | † | † | † |
| Reserve Inventory (reserve-inventory-api) | POST /inventory/reservations | command | SIM | bearer | basket | reservation | inventory-reserved, reservation-created |
| Confirm Reservation † | POST /inventory/reservations/{id}/confirm | action | SIM | unlisted | † | † | † |
| Allocate Inventory (allocate-inventory-api) | POST /inventory/allocate | command | Inventory Service | bearer | reservation | reservation | inventory-reserved |
| Get Member Balance (get-member-balance-api) | GET /members/{id}/balance | query | Loyalty Platform | bearer | none | loyalty-account | none |
| Enroll Loyalty Member † | POST /loyalty/members | command | CRM | unlisted | † | † | † |
| Issue Loyalty Points † | POST /loyalty/accounts/{id}/points | command | CRM | unlisted | † | † | † |
| Redeem Loyalty Points † | POST /loyalty/accounts/{id}/redemptions | command | CRM | unlisted | † | † | † |
| Earn Points † | POST /members/{id}/earn | command | Loyalty Platform | unlisted | † | † | † |
| Redeem Points † | POST /members/{id}/redeem | command | Loyalty Platform | unlisted | † | † | † |
| Get Order (get-order-api) | GET /orders/{id} | query | OMS | bearer | none | order | none |
| Create Order (create-order-api) | POST /orders | command | OMS | bearer | basket | order | order-created |
| Cancel Order (cancel-order-api) | POST /orders/{id}/cancel | action | OMS | bearer | none listed | order | order-cancelled |
| Confirm Order (confirm-order-api) | POST /orders/{id}/confirm | action | OMS | bearer | none listed | order | order-confirmed |
| Route Order (route-order-api) | POST /orders/{id}/route | action | OMS | bearer | none listed | fulfillment-order | fulfillment-order-created |
| Authorize Payment (authorize-payment-api) | POST /payments/authorizations | command | Payment Hub | bearer | order | payment | payment-authorized |
| Capture Payment (capture-payment-api) | POST /payments/authorizations/{id}/capture | action | Payment Hub | bearer | none listed | payment | payment-captured |
| Void Payment † | POST /payments/authorizations/{id}/void | action | Payment Hub | unlisted | † | † | † |
| Refund Payment † | POST /payments/{id}/refunds | command | Payment Hub | unlisted | † | † | † |
| Add Payment (add-payment-api) | POST /transactions/{id}/payment | command | POS | bearer | payment | payment | payment-authorized |
| Evaluate Promotions † | POST /promotions/evaluate | command | Promotion Engine | unlisted | † | † | † |
| Validate Voucher † | POST /vouchers/{code}/validate | query (POST method) | Promotion Engine | unlisted | † | † | † |`;

/** The rows of its table of events: name, classification, object, meaning, emitted by. */
const documentedEvents = `
| payment-authorized | transitioned | payment | Payment pre-authorised with the provider for the required amount | Authorize Payment, Add Payment |
| payment-captured | transitioned | payment | Pre-authorised amount captured, funds transferred | Capture Payment |
| order-created | created | order | Order created from a converted basket or direct entry | Create Order |
| order-confirmed | transitioned | order | Order confirmed and acknowledged; fulfillment can begin | Confirm Order |
| order-cancelled | transitioned | order | Order cancelled before fulfillment completion | Cancel Order |
| customer-registered | created | customer | New customer record with identity and contact information | Create Customer |
| customer-interaction-logged | updated | customer | Interaction (visit note, product preference, task) recorded | Log Customer Interaction |
| inventory-reserved | created | reservation | Stock soft-reserved against a basket or order to prevent overselling | Reserve Inventory, Allocate Inventory |
| reservation-created | created | reservation | New reservation created for a basket or order | Reserve Inventory |
| return-requested | created | return | Customer requested return of one or more items from an order | Create Return |
| return-created | created | return | Return request created against a closed order | Create Return |
| checkout-started | transitioned | basket | Basket entered checkout; payment and delivery details being collected | Create Transaction |
| checkout-cancelled | transitioned | basket | In-progress checkout abandoned or cancelled before payment completion | Void Transaction |
| basket-created | created | basket | New basket for a customer or anonymous session | Create Basket |
| fulfillment-order-created | created | fulfillment-order | Fulfillment order created for a confirmed order by routing | Route Order |
| shipment-label-generated | updated | shipment | Carrier label generated for a dispatched shipment, with tracking number | Generate Shipping Label |`;

/** Its business objects, with their states in listed order. */
const documentedStates = {
  basket: 'open, locked, converted, abandoned, merged',
  order: 'draft, confirmed, in-fulfilment, partially-fulfilled, completed, return-in-progress, cancelled',
  payment: 'pending, authorised, captured, partially-refunded, fully-refunded, voided, failed',
  customer: 'anonymous, identified, registered, active, at-risk, churned, reactivated, blocked',
  reservation: 'requested, confirmed, fulfilled, expired, cancelled, released',
  'fulfillment-order': 'created, allocated, picking, packed, dispatched, delivered, failed-delivery, returned-to-sender, cancelled',
  shipment:
    'pending, label-created, collected, in-transit, out-for-delivery, delivery-attempted, held-at-depot, delivered, returned-to-sender, lost',
  return: 'requested, approved, in-transit, received, inspected, refunded, exchanged, rejected',
  product: 'draft, enrichment, review, active, suspended, discontinued, archived',
  'loyalty-account': '',
  'inventory-item': '',
};

/** States that the source document does not list: 3-D Secure needs the customer. */
const addedStates: ReadonlySet<string> = new Set(['requires-action']);

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
const rowsOf = (table: string): string[][] => table.trim().split('\n').map(cellsOf);

const publicApis: ApiDefinition[] = Object.values<unknown>(apis) as ApiDefinition[];
/** Counts of the source document. */
const documentedObjects = objects.filter(({ addition }) => !addition);
const countedApis = publicApis.filter(({ addition }) => !addition);
const allCalls: ApiDefinition[] = [...publicApis, ...(Object.values<unknown>(internalCalls) as ApiDefinition[])];
const byName = new Map(publicApis.map((api) => [api.name, api]));

test('The catalog has the 43 public APIs of the source document and the additions', () => {
  const names = rowsOf(documentedApis).map(([cell]) => cell?.replace(/ (\(.*\)|†)$/, ''));
  expect(countedApis.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  expect(countedApis).toHaveLength(43);
});

test('The catalog adds what a shop, a carrier and a member need, and the source document does not list', () => {
  const added = publicApis.filter(({ addition }) => addition);
  const described = added.map(({ method, path, auth, status, produces }) => [`${method} ${path}`, auth, status, produces]);
  const needed = [
    ['GET /products', 'none', 200, 'application/json'],
    ['GET /baskets/{id}', 'bearer', 200, 'application/json'],
    ['PATCH /baskets/{id}/lines/{lineId}', 'bearer', 200, 'application/json'],
    ['DELETE /baskets/{id}/lines/{lineId}', 'bearer', 200, 'application/json'],
    ['POST /webhooks/carrier', 'signature', 204, 'application/json'],
    ['GET /labels/{rehearsal}/{file}', 'none', 200, 'application/pdf'],
    ['GET /collection-codes/{rehearsal}/{file}', 'none', 200, 'image/png'],
    ['GET /members/{id}/ledger', 'bearer', 200, 'application/json'],
  ];
  expect(described).toEqual(expect.arrayContaining(needed));
  expect(countedApis.filter(({ auth, produces }) => auth === 'signature' || produces !== 'application/json')).toEqual([]);
});

test.each(rowsOf(documentedApis))('The catalog declares %s as %s', (cell, route, type, application, auth, _request, response, emitted) => {
  const [, name = '', id] = /^(.*?) (?:\((.*)\)|†)$/.exec(cell ?? '') ?? [];
  const api = byName.get(name);
  if (!api) throw new Error(`${name} is not in the catalog.`);
  expect([api.id, `${api.method} ${api.path}`, api.type, applications[api.application].title, api.auth, api.shapes]).toEqual([
    id ?? `${name.toLowerCase().replaceAll(' ', '-')}-api`,
    route,
    type?.split(' ')[0],
    application,
    auth === 'unlisted' ? 'bearer' : auth,
    response === '†' ? 'our choice' : 'source',
  ]);
  if (emitted !== '†') expect(api.emits.join(', ')).toBe(emitted === 'none' ? '' : emitted);
});

test('The catalog has the events of the source document, with meaning and emitters', () => {
  const documented = events.filter(({ addition }) => !addition);
  const described = documented.map(({ name, classification, object, meaning }) => {
    const emitters = publicApis.filter((api) => api.shapes === 'source' && api.emits.includes(name)).map((api) => api.name);
    return [name, classification, object, meaning, emitters.join(', ')];
  });
  expect(described.toSorted()).toEqual(rowsOf(documentedEvents).toSorted());
});

test('The catalog has the objects of the source document, with their states in the same sequence', () =>
  expect(
    Object.fromEntries(
      documentedObjects.map(({ type, lifeCycle }) => [
        type,
        (lifeCycle?.states ?? []).filter((state) => !addedStates.has(state)).join(', '),
      ]),
    ),
  ).toEqual(documentedStates));

test.each(applicationNames)('The routes of %s do not collide', (application) => {
  const routes = allCalls
    .filter((api) => api.application === application)
    .map((api) => `${api.method} ${api.path.replaceAll(/\{\w+\}/g, '{}')}`);
  expect(new Set(routes).size).toBe(routes.length);
  expect(routes.length).toBeGreaterThan(0);
});

test('The routes of two public APIs overlap only where the source document does, and the literal segment is matched first', () => {
  const overlap = (one: string, other: string): boolean => {
    const [a, b] = [one.split('/'), other.split('/')];
    return a.length === b.length && a.every((segment, i) => segment === b[i] || `${segment} ${b[i]}`.includes('{'));
  };
  const pairs = publicApis.flatMap((a, i) => publicApis.slice(i + 1).map((b) => [a, b] as const));
  const colliding = pairs.filter(([a, b]) => a.method === b.method && overlap(a.path, b.path));
  // GET /inventory/items/availability is the item "availability", not the availability of a SKU "items": the order of the list decides.
  expect(colliding.map(([a, b]) => `${a.id} before ${b.id}`)).toEqual(['get-inventory-api before check-availability-api']);
  for (const [a, b] of colliding) expect(a.auth).toBe(b.auth);
});

test('The ids of public and internal calls are unique, and only routes of internal calls begin with /internal/', () => {
  expect(new Set(allCalls.map(({ id }) => id)).size).toBe(allCalls.length);
  for (const api of allCalls) expect([api.id, api.path.startsWith('/internal/')]).toEqual([api.id, api.audience === 'internal']);
});

const rows = objects.flatMap((object) => (object.lifeCycle?.rows ?? []).map((row) => ({ object, row })));

test('Every event that an API or a row of a life cycle names is defined', () => {
  const names = new Set(events.map(({ name }) => name));
  for (const name of [...allCalls.flatMap((api) => api.emits), ...rows.flatMap(({ row }) => row.events)]) expect(names).toContain(name);
});

test.each(events.map(({ name, object }) => [name, object] as const))(
  'The event %s is emitted by a row of the %s, and by an API or by time',
  (name, type) => {
    expect(rows.filter(({ object, row }) => object.type === type && row.events.includes(name))).not.toEqual([]);
    expect(rows.filter(({ object, row }) => object.type !== type && row.events.includes(name))).toEqual([]);
    const byTime = rows.every(({ row }) => !row.events.includes(name) || row.trigger.startsWith('time:'));
    expect(byTime || allCalls.some((api) => api.emits.includes(name))).toBe(true);
  },
);

test('Every business object has a prefix of ids that no other has, except the inventory item, which its SKU identifies', () => {
  const prefixes = objects.flatMap(({ idPrefix = [] }) => idPrefix);
  expect(new Set([...prefixes, 'evt', 'int', 'pck', 'rdm', 'req', 'run']).size).toBe(prefixes.length + 6);
  expect(objects.filter(({ idPrefix }) => idPrefix === undefined).map(({ type }) => type)).toEqual(['inventory-item']);
});

test('A row for a repeat changes nothing and emits nothing', () => {
  for (const { row } of rows.filter(({ row: { again } }) => again)) expect([row.to, row.events]).toEqual([[], []]);
});

test('The published state of an object is one of its life cycle', () => {
  for (const { type, schema, lifeCycle } of objects) {
    const state = schema.shape['state'];
    expect([type, state instanceof z.ZodEnum ? state.options : undefined]).toEqual([type, lifeCycle?.states.slice()]);
  }
});

/** Refusals of single APIs, in addition to the refusals of every API of their kind. */
const refusals: Record<string, string[]> = {
  'create-basket-api': ['invalid_state_transition'],
  'add-line-to-basket-api': ['invalid_state_transition', 'insufficient_stock'],
  'checkout-basket-api': ['basket_empty', 'insufficient_stock', 'dependency_unavailable'],
  'create-customer-api': ['duplicate_customer'],
  'track-shipment-api': ['invalid_state_transition'],
  'dispatch-fulfillment-order-api': ['invalid_state_transition', 'payment_incomplete'],
  'create-picking-order-api': ['invalid_state_transition'],
  'generate-label-api': ['invalid_state_transition', 'dependency_unavailable'],
  'update-picking-status-api': ['invalid_state_transition'],
  'route-order-api': ['invalid_state_transition', 'insufficient_stock'],
  'create-replacement-api': ['invalid_state_transition', 'replacement_quantity_exceeded', 'insufficient_stock'],
  'carrier-webhook': ['not_found'],
  'release-reservation-api': ['invalid_state_transition'],
  'reserve-inventory-api': ['insufficient_stock'],
  'confirm-reservation-api': ['reservation_expired', 'invalid_state_transition'],
  'allocate-inventory-api': ['insufficient_stock'],
  'get-member-balance-api': ['dependency_unavailable'],
  'redeem-points-api': ['insufficient_points'],
  'create-order-api': ['invalid_state_transition', 'basket_empty', 'customer_blocked'],
  'cancel-order-api': ['invalid_state_transition'],
  'confirm-order-api': ['payment_incomplete', 'reservation_expired', 'insufficient_stock', 'dependency_unavailable'],
  'authorize-payment-api': ['payment_declined', 'overpayment'],
  'capture-payment-api': ['invalid_state_transition', 'capture_exceeds_authorized'],
  'void-payment-api': ['invalid_state_transition'],
  'refund-payment-api': ['invalid_state_transition', 'refund_exceeds_captured'],
};

test.each(publicApis.map((api) => [api.id, api] as const))('%s declares its refusals', (id, api) => {
  const expected = [...(refusals[id] ?? []), ...(api.path.includes('{') ? ['not_found'] : [])];
  expect(api.problems).toEqual(expect.arrayContaining(expected));
  expect(new Set(api.problems).size).toBe(api.problems.length);
});

test.each(allCalls.map((api) => [api.id, api] as const))(
  '%s has schemas that OpenAPI can show, takes unknown members only in a webhook, and bounds every string and list of its request',
  (_, api) => {
    const isWebhook = api.auth === 'signature';
    const answers = api.status === 204 ? 'null' : api.produces === 'application/json' ? 'object' : 'string';
    expect([jsonSchema(api.serviceRequest, 'input').type, jsonSchema(api.response, 'output').type]).toEqual(['object', answers]);
    for (const schema of [api.query, api.request]) {
      const shape = jsonSchema(schema, 'input');
      expect(shape.type).toBe('object');
      expect(shape.additionalProperties === false).toBe(!isWebhook || schema === api.query);
      expect(unbounded(shape, '')).toEqual([]);
    }
  },
);

test('Reserve Inventory takes a basket, items or both; only a service may reserve without a time limit', () => {
  const both = { basketId: 'bsk_1', items: [{ sku: 'mug-blue', qty: 1 }] };
  const { request, serviceRequest } = apis['reserve-inventory-api'];
  expect(request.safeParse({ basketId: 'bsk_1' }).data).toEqual({ basketId: 'bsk_1' });
  expect(request.safeParse(both).success).toBe(true);
  expect(request.safeParse({}).success).toBe(false);
  expect(request.safeParse({ ...both, ttlSeconds: null }).success).toBe(false);
  expect(serviceRequest.safeParse({ ...both, ttlSeconds: null }).success).toBe(true);
});

test('Only applications may send the basket or transaction of an order, the payable of a payment, and the reference of a refund', () => {
  const added = ({ request, serviceRequest }: Record<'request' | 'serviceRequest', { readonly shape: object }>) =>
    Object.keys(serviceRequest.shape).filter((member) => !(member in request.shape));
  expect(added(apis['create-order-api'])).toEqual(['basket', 'transaction']);
  expect(added(apis['authorize-payment-api'])).toEqual(['payable', 'returnId', 'transactionId']);
  expect(added(apis['refund-payment-api'])).toContain('reference');
});

/** The JSON Schema of a shape, with the named shapes that it uses under `$defs`. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): z.core.JSONSchema.JSONSchema {
  const shape = z.toJSONSchema(schema, { io });
  const named = shape.$defs?.[shape.$ref?.split('/').at(-1) ?? ''];
  return named ? { ...named, $defs: shape.$defs ?? {} } : shape;
}

/** JSON pointers of the strings and lists that have no upper bound. */
function unbounded(schema: unknown, at: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, maxLength, pattern, maxItems } = schema as Record<string, unknown>;
  const free = 'enum' in schema || 'const' in schema || 'format' in schema;
  const patternBounds = typeof pattern === 'string' && pattern.endsWith('$') && !/[*+](\)|\$)/.test(pattern);
  const here =
    (type === 'string' && !free && maxLength === undefined && !patternBounds) || (type === 'array' && maxItems === undefined) ? [at] : [];
  return [...here, ...Object.entries(schema).flatMap(([key, value]) => unbounded(value, `${at}/${key}`))];
}

test.each(Object.values(internalCalls))('$id has as callers exactly the applications that may call it', ({ id, application, callers }) => {
  expect(applicationNames.filter((name) => mayCall(name, id)).toSorted()).toEqual(callers.toSorted());
  expect(callers).not.toContain(application);
});

test('An API that calls other applications declares that they may be down, unless it works without them', () => {
  const withoutThem = ['get-product-api', 'get-order-api', 'search-customer-api'];
  for (const api of publicApis.filter(({ problems }) => problems.includes('dependency_timeout'))) {
    expect(calls[api.application].length).toBeGreaterThan(0);
    expect(api.problems).toEqual(expect.arrayContaining(['dependency_unavailable', 'dependency_error']));
    expect(withoutThem).not.toContain(api.id);
  }
});

test.each(flows.map((flow) => [flow.number, flow.title, flow] as const))(
  'Flow %d (%s) consists of existing and allowed calls',
  (_, __, flow) => {
    for (const step of flow.steps) {
      const api = allCalls.find(({ id }) => id === step.call);
      expect(api?.application).toBe(step.to);
      if (step.from === 'client') expect(api?.audience).toBe('public');
      else expect([step, mayCall(step.from, step.call)]).toEqual([step, true]);
    }
    const [caller, callee] = flow.participants;
    expect(flow.steps.some(({ from, to }) => from === caller && to === callee)).toBe(true);
  },
);

test('A picking order ends packed on every path of its life cycle', () => {
  const reached = new Set<z.output<typeof PickingStatus>>(['open']);
  for (const status of reached) for (const next of pickingMoves[status]) reached.add(next);
  expect([...reached].sort()).toEqual(PickingStatus.options.toSorted());
  expect(PickingStatus.options.filter((status) => pickingMoves[status].length === 0)).toEqual(['packed']);
});

test('Every scan is a verb of the shipment, and the rest of its verbs are APIs, or the counter of a store', () => {
  const verbs = [...new Set(shipmentLifeCycle.rows.map(({ verb }) => verb))];
  expect(verbs.filter((verb) => !(Scan.options as readonly string[]).includes(verb))).toEqual(['register', 'label', 'make-ready']);
  expect(Scan.options.filter((scan) => !verbs.includes(scan))).toEqual([]);
});

test('The carrier webhook accepts the id or the tracking number of a parcel, and only scans as status', () => {
  const at = '2026-03-01T10:00:00.000Z';
  const isValid = (data: object) => {
    const body = { type: 'shipment.tracking.updated', timestamp: at, data: { status: 'collected', occurredAt: at, ...data } };
    return apis['carrier-webhook'].request.safeParse(body).success;
  };
  const bodies = [{ trackingNumber: 'UC1' }, { shipmentId: 'shp_1' }, {}, { shipmentId: 'shp_1', status: 'pending' }];
  expect(bodies.map(isValid)).toEqual([true, true, false, false]);
});

test('Reserved stock is consumed or written off by allocation, and released as a whole', () => {
  const allocations = [{ locationId: 'dc-01', sku: 'mug-blue', qty: 1 }];
  const isValid = (body: object) => internalCalls['move-hold'].request.safeParse({ reference: 'r', ...body }).success;
  for (const kind of ['consume', 'write-off']) expect([isValid({ kind, allocations }), isValid({ kind })]).toEqual([true, false]);
  expect([isValid({ kind: 'release' }), isValid({ kind: 'release', allocations })]).toEqual([true, false]);
});

test('The paths of a label and of a QR code name their rehearsal, and no other path does', () =>
  expect(publicApis.filter(namesRehearsal).map(({ id }) => id)).toEqual(['label-document', 'collection-code']));
