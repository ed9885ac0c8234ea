import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { z } from 'zod';
import type { OperationInput, OperationOutput } from '../../rehearsal/call-types.ts';
import { runScenario } from '../../rehearsal/runner.ts';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { apis } from '../../shared/catalog/apis.ts';
import { type CalledId, type ControlId, controlOperations } from '../../shared/catalog/control/operations.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import type { Example, RefusalExample } from '../../shared/contract/openapi/examples.ts';
import { CENSOR } from '../../shared/domain/censor.ts';
import { ADMIN, estate, eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { receiveEvents } from '../support/event-receiver.ts';
import { noReport } from '../support/noted-report.ts';
import { startPaymentHub } from '../support/real-payment-hub.ts';
import { eur } from '../support/steps/tender.ts';
import { atCounter } from './changing-requests.ts';

/**
 * Records a request, an answer and a refusal of every operation for the OpenAPI document, from real runs: RECORD_EXAMPLES=true writes the file.
 * Otherwise the recorded examples are compared with the schemas and with the answers of now.
 */
const FILE = new URL('../../shared/contract/openapi/recorded-examples.json', import.meta.url);
const isRecording = process.env['RECORD_EXAMPLES'] === 'true';

type Examples = Record<string, Example>;

/** These scenarios make most of the calls. Applications make some of them. */
const SCENARIOS = [
  'exchange-with-surplus',
  'delivered-order',
  'carrier-down',
  'return-refunded',
  'void-transaction',
  'digital-order',
  'loyalty-down',
];
const publicApis = Object.values(apis).filter(
  ({ id, audience }) => audience === 'public' && id !== 'label-document' && id !== 'collection-code',
) as readonly ApiDefinition[];
const operations = Object.values(controlOperations).filter(({ id }) => id !== 'read-stream');

/** The first successful call of each API in the journal of a rehearsal. */
async function takeCalls(from: Pick<TestRehearsal, 'control'>, into: Examples): Promise<void> {
  const { items } = await from.control('read-journal', { query: { limit: 5_000 } });
  for (const { api, status, request, response, faults } of items) {
    const known = publicApis.find(({ id }) => id === api);
    // Applications may send members that clients may not.
    const isOfClients = known?.request.safeParse(request ?? {}).success;
    if (isOfClients && into[api] === undefined && status === known?.status && faults.length === 0) into[api] = { request, response };
  }
}

/** A collection whose last day is moved, and that is handed over. */
async function collectGoods(into: Examples): Promise<void> {
  await using rehearsal = await newRehearsal({ warehouse: 'manual', store: 'manual' });
  await rehearsal.confirmed();
  await rehearsal.settle();
  await rehearsal.api('list-picking-orders-api', { query: { locationId: 'dc-01' } });
  const { id, code } = await atCounter(rehearsal);
  await rehearsal.api('list-collections-api', { query: { locationId: 'store-01', status: 'waiting' } });
  await rehearsal.api('extend-collection-api', { params: { id } });
  await rehearsal.api('hand-over-collection-api', { params: { id }, body: { code } });
  await takeCalls(rehearsal, into);
}

/** An order that begins in a web shop. */
async function nameOrder({ api, checkedOut }: TestRehearsal): Promise<void> {
  const { id: basketId } = await checkedOut();
  const reference = { source: 'web-shop', id: '#1001' };
  await api('create-order-api', { body: { basketId, reference, metadata: { campaign: 'spring' } } });
  await api('list-orders-api', { query: { referenceSource: reference.source, referenceId: reference.id } });
}

/** An order that a web shop took at its prices, whose provider has the money. */
async function noteElsewhere(rehearsal: TestRehearsal): Promise<void> {
  await rehearsal.progress({ external: 'manual' });
  const { id, refundId } = await rehearsal.awaitedRefund('#1002');
  await rehearsal.api('note-refund-result-api', { params: { id, refundId }, body: { state: 'succeeded', providerReference: 're_3Q' } });
}

/** An order with a unit less, and one that is picked already. */
async function changeOrders(into: Examples): Promise<void> {
  await using rehearsal = await newRehearsal({ warehouse: 'manual' });
  const { id, lines } = await rehearsal.confirmed({ qty: 3 });
  await rehearsal.api('change-order-api', { params: { id }, body: { lines: [{ lineId: lines[0].lineId, qty: 2 }] } });
  await takeCalls(rehearsal, into);
}

async function callApis(into: Examples): Promise<void> {
  for (const scenario of scenarios.filter(({ name }) => SCENARIOS.includes(name))) {
    const access = { gateway: estate.gateway, bearer: 'demo-integration-token', apiKey: 'demo-carrier-key', admin: ADMIN };
    await runScenario(scenario, { ...access, report: noReport, examine: ({ client }) => takeCalls(client, into) });
  }
  await collectGoods(into);
  await changeOrders(into);
  await using rehearsal = await newRehearsal({ route: 'manual' });
  const { api } = rehearsal;
  await api('list-products-api', { query: { q: 'mug', limit: 2 } });
  await nameOrder(rehearsal);
  await noteElsewhere(rehearsal);
  const basket = await rehearsal.basket();
  const lineId = basket.lines[0]?.lineId ?? '';
  await api('change-basket-line-api', { params: { id: basket.id, lineId }, body: { qty: 3 } });
  await api('get-basket-api', { params: { id: basket.id } });
  await api('remove-basket-line-api', { params: { id: basket.id, lineId } });
  await api('search-customer-api', { query: { email: 'ada@example.test' } });
  await api('get-customer-360-api', { params: { id: 'cus_ada' } });
  await api('create-customer-api', {
    body: { email: 'zoe@people.example', firstName: 'Zoe', lastName: 'Marsh', consents: { emailMarketing: true } },
  });
  await api('log-interaction-api', { body: { customerId: 'cus_ada', type: 'styling-session', note: 'Prefers oak.' } });
  await api('enroll-loyalty-member-api', { body: { customerId: 'cus_ben' } });
  await api('issue-loyalty-points-api', {
    params: { id: 'loy_ada' },
    body: { points: 200, reason: 'late delivery', reference: 'case-4711' },
  });
  await api('redeem-loyalty-points-api', { params: { id: 'loy_ada' }, body: { points: 300 } });
  await api('list-ledger-entries-api', { params: { id: 'loy_ada' } });
  await api('validate-voucher-api', { params: { code: 'WELCOME10' }, body: { amount: eur(10_000), customerId: 'cus_ada' } });
  await api('get-stock-locations-api', { params: { sku: 'mug-blue' } });
  await api('list-collection-points-api', { query: { sku: 'mug-blue', qty: '2', near: '53.27,-9.06' } });
  const { id: reservationId } = await api('reserve-inventory-api', { body: { items: [{ sku: 'mug-blue', qty: 2 }], ttlSeconds: 900 } });
  await api('release-reservation-api', { params: { id: reservationId } });
  const draft = await rehearsal.draft();
  const { id: paymentId } = await rehearsal.authorisation(draft.id);
  await api('void-payment-api', { params: { id: paymentId } });
  const {
    id,
    lines: [line],
  } = await rehearsal.confirmed();
  await api('release-reservation-api', { params: { id: line.reservationId } });
  await api('allocate-inventory-api', { body: { orderId: id, orderLineId: line.lineId, sku: 'mug-blue', qty: 2 } });
  await api('route-order-api', { params: { id } });
  const other = await rehearsal.confirmed();
  await api('release-reservation-api', { params: { id: other.lines[0].reservationId } });
  const kept = await api('reserve-inventory-api', { body: { orderId: other.id, items: [{ sku: 'mug-blue', qty: 2 }] } });
  await api('confirm-reservation-api', { params: { id: kept.id }, body: { orderId: other.id } });
  await takeCalls(rehearsal, into);
  await using silent = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
  await silent.fault('silence', { match: { event: 'ext.order-changed' }, fault: { kind: 'withhold' } });
  const order = await silent.completed();
  await silent.api('earn-points-api', { params: { id: 'loy_ada' }, body: { orderId: order.id, amount: eur(2_598) } });
  await silent.refunded((await silent.order(order.id)).payments[0].id, 500);
  const lines = [{ orderLineId: order.lines[0].lineId, qty: 1 }];
  await silent.api('create-replacement-api', { params: { id: order.id }, body: { lines, reason: 'damaged' } });
  await takeCalls(silent, into);
}

/** A rehearsal with a real Payment Hub, which calls the estate and reports a change. */
async function operateSwaps(into: Examples): Promise<void> {
  await using hub = await startPaymentHub();
  await using rehearsal = await newRehearsal(undefined, undefined, { 'payment-hub': { url: hub.url, keep: true } });
  const order = await rehearsal.draft();
  const payment = await rehearsal.authorisation(order.id, order.totals.total.amount);
  const take = async (id: 'make-call' | 'report-change', path: string, request: object): Promise<void> => {
    const headers = { 'x-estate-call': String(rehearsal.estateCalls['payment-hub']), 'content-type': 'application/json' };
    const response = await fetch(`${estate.gateway}${path}`, { method: 'POST', headers, body: JSON.stringify(request) });
    into[id] = { request, response: await response.json() };
  };
  into['list-swaps'] = { response: await rehearsal.control('list-swaps') };
  await take('make-call', '/_control/calls/get-payable', { params: { id: order.id } });
  await take('report-change', '/_control/events', { object: 'payment', data: { ...payment, state: 'voided', version: 8 } });
  const check = { application: 'payment-hub', url: hub.url } as const;
  const checks = await rehearsal.control('check-system', { body: check });
  into['check-system'] = { request: check, response: checks };
  await rehearsal.control('delete-run', { params: { id: checks.id } });
  const { answers } = await rehearsal.control('read-answers', { params: { application: 'payment-hub' } });
  into['read-answers'] = { response: { answers: { 'authorize-payment-api': answers['authorize-payment-api'] } } };
  await using beside = await newRehearsal(undefined, undefined, { 'payment-hub': { url: hub.url, mode: 'shadow' } });
  const draft = await beside.draft();
  await beside.authorisation(draft.id, draft.totals.total.amount);
  into['read-fidelity'] = { response: await beside.control('read-fidelity') };
}

/** Examples of snapshot files contain only the head, because the files are long. */
async function takeSnapshots(rehearsal: TestRehearsal, take: Take, into: Examples): Promise<void> {
  const { name } = await take('save-snapshot', { params: { name: rehearsal.name } });
  const file = await rehearsal.control('read-snapshot', { params: { name } });
  const { format, version, digest, estate, rehearsal: of, takenAt, clock } = file;
  const head = { format, version, digest, estate, name, rehearsal: of, takenAt, clock };
  into['read-snapshot'] = { response: head };
  await rehearsal.control('export-rehearsal', { params: { name: rehearsal.name } });
  into['export-rehearsal'] = { response: { ...head, name: of } };
  into['upload-snapshot'] = { request: head, response: await rehearsal.control('upload-snapshot', { body: file }) };
  const { books, objects, counters, ...compared } = await rehearsal.control('compare-worlds', {
    query: { from: name, to: rehearsal.name },
  });
  into['compare-worlds'] = {
    response: { ...compared, books: books.slice(0, 2), objects: objects.slice(0, 2), counters: counters.slice(0, 2) },
  };
  // Other tests keep snapshots, too.
  const { items } = await rehearsal.control('list-snapshots');
  into['list-snapshots'] = { response: { items: items.filter((one) => one.name === name) } };
  await take('delete-snapshot', { params: { name } });
}

async function operate(into: Examples): Promise<void> {
  await using rehearsal = await newRehearsal({ returns: 'manual' });
  const take: Take = async (id, input) => {
    const response = await rehearsal.control(id, ...([input] as never));
    into[id] = { request: (input as { readonly body?: unknown } | undefined)?.body, response: response ?? undefined };
    return response;
  };
  await using short = await newRehearsal();
  await short.basket();
  into['read-story'] = { response: await short.control('read-story') };
  const name = `example-${rehearsal.name}`;
  await take('create-rehearsal', { body: { name, idleExpiry: 'PT8H' } });
  await take('list-rehearsals');
  await take('read-rehearsal', { params: { name } });
  await take('reset-rehearsal', { params: { name }, body: {} } as never);
  await take('delete-rehearsal', { params: { name } });
  const order = await rehearsal.confirmed();
  await take('explain-object', { params: { type: 'order', id: order.id } });
  await take('read-timeline', { params: { type: 'order', id: order.id }, query: { limit: 20 } } as never);
  await take('read-play', { query: { type: 'order', id: order.id, limit: 3 } } as never);
  await takeSnapshots(rehearsal, take, into);
  await take('read-clock');
  await take('verify-sequence', { body: { sequence: [{ what: 'call', name: 'confirm-order-api', by: 'client', status: 200 }] } } as never);
  await take('set-clock', { body: { flowing: false } });
  await take('advance-clock', { body: { by: 'PT4H' } });
  await take('list-clock-moves');
  await take('settle', { body: { timeoutMs: 5_000 } });
  await take('list-parked');
  await take('redrive-parked', { body: {} });
  const { items: events } = await take('list-events', { query: { type: 'order-confirmed' } });
  await take('read-event', { params: { id: String(events[0]?.event['id']) } });
  await take('wait-for-events', { body: { type: 'order-confirmed', count: 1, timeoutMs: 1_000 } } as never);
  await take('read-topology');
  await take('list-object-types');
  await take('list-objects', { params: { type: 'order' } });
  await take('read-object', { params: { type: 'order', id: order.id } });
  await take('list-related-objects', { params: { type: 'order', id: order.id } });
  await take('list-names');
  await take('search', { query: { q: order.orderNumber } });
  await take('list-life-cycles');
  await take('list-stock', { query: { sku: 'mug-blue' } });
  await take('read-progression');
  await take('set-progression', { body: { carrier: 'manual' } });
  const [shipment] = (await rehearsal.control('list-objects', { params: { type: 'shipment' } })).items;
  await take('play-scan', { params: { id: shipment?.id ?? '', scan: 'depart' }, body: { location: 'Athlone' } });
  await take('resend-scan', { params: { id: shipment?.id ?? '' } });
  await rehearsal.control('set-progression', { body: { carrier: 'time' } });
  await rehearsal.advance('P3D');
  const { id: returnId } = await rehearsal.announced(await rehearsal.order(order.id));
  await take('move-return-by-hand', { params: { id: returnId, verb: 'approve' }, body: {} });
  await take('move-product-by-hand', { params: { id: 'mug-blue', verb: 'suspend' } });
  await take('move-customer-by-hand', { params: { id: 'cus_ben', verb: 'block' } });
  await take('change-product-by-hand', { params: { id: 'mug-green' }, body: { price: { amount: 999 } } });
  await take('change-promotion-by-hand', { params: { id: 'prm_woolly-ridge-15' }, body: { name: 'Sale' } });
  await take('change-voucher-by-hand', { params: { id: 'WELCOME10' }, body: { enabled: false } });
  await take('change-gift-card-by-hand', { params: { id: 'gift_5' }, body: { balance: { amount: 700 } } });
  await take('change-payment-token-by-hand', { params: { id: 'tok_mine' }, body: { outcome: 'decline', declineCode: 'lost_card' } });
  await take('change-customer-by-hand', { params: { id: 'cus_eve' }, body: { lastName: 'Moran' } });
  await take('count-stock-by-hand', { params: { sku: 'mug-blue', locationId: 'dc-01' }, body: { onHand: 40 } });
  const [payment] = (await rehearsal.order(order.id)).payments;
  const params = { id: payment?.id ?? '' };
  await take('open-dispute', { params, body: { reason: 'product_not_received' } });
  await take('close-dispute', { params, body: { outcome: 'won' } });
  const undecided = await rehearsal.authorisation((await rehearsal.draft({ sku: 'mug-green' })).id, undefined, 'tok_3ds');
  await take('complete-payment-action-by-hand', { params: { id: undecided.id }, body: { outcome: 'succeeded' } });
  const match = { application: 'payment-hub' } as const;
  await take('put-fault', { params: { name: 'slow' }, body: { match, fault: { kind: 'outage' }, times: 3, skip: 1 } });
  await take('list-faults');
  await take('delete-fault', { params: { name: 'slow' } });
  await take('delete-faults');
  await take('list-fault-presets');
  const { items: hops } = await take('read-journal', { query: { limit: 1 } });
  await take('read-hop', { params: { requestId: hops[0]?.requestId ?? '' } });
  await take('list-traces');
  await take('verify');
  await take('list-verdicts');
  await take('read-books');
  await operateWebhooks(rehearsal, take);
  await operateSwaps(into);
  await take('list-scenarios');
  const { id: run } = await take('start-run', { body: { scenario: 'digital-order' } });
  await eventually('the run passes', async () => (await rehearsal.control('read-run', { params: { id: run } })).state === 'passed');
  await take('list-runs');
  await take('read-run', { params: { id: run } });
  await take('delete-run', { params: { id: run } });
}

async function operateWebhooks(rehearsal: TestRehearsal, take: Take): Promise<void> {
  await using receiver = await receiveEvents();
  const params = { name: 'shop' };
  await take('put-webhook', { params, body: { url: receiver.url, types: ['basket-created'] } } as never);
  await rehearsal.basket({ sku: 'mug-green' });
  await rehearsal.settle();
  await take('list-webhooks');
  await take('read-webhook', { params });
  const { items } = await take('list-webhook-deliveries', { params });
  await take('redeliver-webhook', { params: { ...params, id: items[0]?.id ?? '' }, body: {} } as never);
  await take('rotate-webhook-secret', { params, body: { keepOldFor: 'PT24H' } });
  await rehearsal.settle();
  await take('delete-webhook', { params });
}

type Take = <Id extends CalledId>(id: Id, input?: OperationInput<Id>) => Promise<OperationOutput<Id>>;

/** Refusals of the business. Credentials, limits and outages are refused alike everywhere. */
const BUSINESS: ReadonlySet<number> = new Set([402, 404, 409, 410, 422]);

/** A sent request: the sections of `call`. */
interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** The most typical mistake with an API, where it is not an unknown id. */
async function mistakes(rehearsal: TestRehearsal): Promise<Readonly<Record<string, Sent>>> {
  const { api } = rehearsal;
  const draft = await rehearsal.draft();
  const { basketId } = draft;
  const bought = await rehearsal.basket();
  const lineId = bought.lines[0]?.lineId ?? '';
  const empty = await api('create-basket-api', { body: { channel: 'web' } });
  const confirmed = await rehearsal.confirmed();
  const [payment] = confirmed.payments;
  const { fulfillmentOrderId, orderId } = await rehearsal.dispatchedOrder();
  const sent = await rehearsal.order(orderId);
  const picking = (await rehearsal.object('fulfillment-order', fulfillmentOrderId)).pickingOrderId;
  const line = { sku: 'mug-none', qty: 1 };
  const nobody = 'cus_nobody';
  return {
    'list-products-api': { query: { limit: 1_000 } },
    'create-transaction-api': { body: { storeId: 'store-01', laneId: 'SCO-01', lines: [line] } },
    'create-basket-api': { body: { channel: 'web', lines: [line] } },
    'add-line-to-basket-api': { params: { id: basketId }, body: { sku: 'mug-blue', qty: 1 } },
    'change-basket-line-api': { params: { id: bought.id, lineId: 'line_never' }, body: { qty: 3 } },
    'remove-basket-line-api': { params: { id: basketId, lineId } },
    'checkout-basket-api': { params: { id: empty.id }, body: {} },
    'search-customer-api': { query: {} },
    'create-customer-api': { body: { firstName: 'Zoe', lastName: 'Marsh', email: 'zoe at people' } },
    'log-interaction-api': { body: { customerId: nobody, type: 'visit' } },
    'dispatch-fulfillment-order-api': { params: { id: 'ful_never' }, body: {} },
    'hand-over-collection-api': { params: { id: fulfillmentOrderId }, body: { code: '123456' } },
    'extend-collection-api': { params: { id: fulfillmentOrderId }, body: {} },
    'change-order-api': { params: { id: orderId }, body: { shippingMethod: 'EXPRESS' } },
    'list-picking-orders-api': { query: { status: 'lost' } },
    'list-collections-api': { query: { status: 'waiting' } },
    'list-collection-points-api': { query: { sku: 'mug-none' } },
    'create-return-api': {
      body: {
        orderId: confirmed.id,
        lines: [{ orderLineId: confirmed.lines[0].lineId, qty: 1, reason: 'Too small' }],
        resolution: 'refund',
        dropOff: 'carrier',
      },
    },
    'create-picking-order-api': { body: { fulfillmentOrderId } },
    'update-picking-status-api': { params: { id: picking }, body: { status: 'started' } },
    'reserve-inventory-api': { body: { items: [{ sku: 'mug-blue', qty: 9_999 }] } },
    'confirm-reservation-api': { params: { id: 'rsv_never' }, body: {} },
    'allocate-inventory-api': { body: { orderId: confirmed.id, orderLineId: confirmed.lines[0].lineId, sku: 'mug-blue', qty: 9_999 } },
    'enroll-loyalty-member-api': { body: { customerId: 'cus_ada' } },
    'issue-loyalty-points-api': { params: { id: 'loy_ada' }, body: { points: 0, reason: 'Goodwill' } },
    'redeem-loyalty-points-api': { params: { id: 'loy_ada' }, body: { points: 999_999 } },
    'earn-points-api': { params: { id: 'loy_ada' }, body: { orderId: draft.id, amount: eur(2_598) } },
    'redeem-points-api': { params: { id: 'loy_ada' }, body: { points: 999_999, orderId: draft.id } },
    'create-order-api': { body: { basketId: empty.id } },
    'list-orders-api': { query: { state: 'canceled' } },
    'cancel-order-api': { params: { id: orderId }, body: {} },
    'confirm-order-api': { params: { id: draft.id } },
    'route-order-api': { params: { id: draft.id } },
    'create-replacement-api': {
      params: { id: orderId },
      body: { lines: [{ orderLineId: sent.lines[0].lineId, qty: 1 }], reason: 'damaged' },
    },
    'authorize-payment-api': {
      body: { orderId: draft.id, tender: { type: 'card', token: 'tok_decline_insufficient_funds' }, amount: draft.totals.total },
    },
    'capture-payment-api': { params: { id: payment.id }, body: { amount: eur(999_999) } },
    'void-payment-api': { params: { id: sent.payments[0].id } },
    'refund-payment-api': { params: { id: sent.payments[0].id }, body: { amount: eur(999_999) } },
    'note-refund-result-api': { params: { id: sent.payments[0].id, refundId: 'ref_never' }, body: { state: 'succeeded' } },
    'evaluate-promotions-api': { body: { lines: [] } },
    'create-rehearsal': { body: { name: rehearsal.name } },
    'put-webhook': { params: { name: 'My shop' }, body: { url: 'http://localhost:3000/events' } },
    'put-fault': { params: { name: 'slow' }, body: { match: { api: 'create-ordre-api' }, fault: { kind: 'outage' } } },
    'advance-clock': { body: { by: 'two days' } },
    'set-progression': { body: { carrier: 'slow' } },
    'list-objects': { params: { type: 'parcel' } },
    'list-stock': { query: { sku: 'mug-none' } },
    'start-run': { body: { scenario: 'digital-ordre' } },
    'make-call': { params: { id: 'get-payable' }, body: {} },
    'play-scan': {
      params: { id: (await rehearsal.object('fulfillment-order', fulfillmentOrderId)).shipments[0].id, scan: 'deliver' },
      body: {},
    },
    'count-stock-by-hand': { params: { sku: 'mug-blue', locationId: 'dc-01' }, body: { onHand: 0 } },
  };
}

/** A refusal of every operation: of its typical mistake, of an unknown id, or of a wrong request. */
async function refuseEach(into: Examples): Promise<void> {
  await using rehearsal = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
  const known = await mistakes(rehearsal);
  const all: readonly { readonly id: string; readonly method: string; readonly path: string }[] = [...publicApis, ...operations];
  for (const { id, method, path } of all) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const params = Object.fromEntries(names.map((name) => [name, name === 'id' ? 'unknown-id' : 'unknown']));
    const body = into[id]?.request;
    const tries: readonly Sent[] = [
      ...(known[id] ? [known[id]] : []),
      ...(names.length > 0 ? [{ params, body }] : []),
      ...(method === 'GET' || method === 'DELETE' ? [] : [{ params, body: { wrong: true } }]),
      { params, query: { limit: 0 } },
    ];
    for (const sent of tries) {
      const { status, body: problem } = await rehearsal.call(id as CalledId, sent);
      if (!BUSINESS.has(status)) continue;
      const refusal: RefusalExample = { request: sent.body, status, body: problem };
      into[id] = { ...into[id], refusal };
      break;
    }
  }
  // Its requests are signed.
  const unknown = { shipmentId: 'shp_never', status: 'collected', occurredAt: new Date(await rehearsal.now()).toISOString() };
  await expect(rehearsal.webhook('unknown', unknown)).rejects.toThrow('404');
  const { request, status, response } = (await rehearsal.journal()).findLast(({ api }) => api === 'carrier-webhook');
  into['carrier-webhook'] = { ...into['carrier-webhook'], refusal: { request, status, body: response } };
}

const LONGEST_TEXT = 160;
const ULID = /[0-9A-HJKMNP-TV-Z]{26}/g;

/** Lists with one item, fixed ids and names, short texts. */
function shortened(examples: Examples): Examples {
  const ids = new Map<string, string>();
  const fixed = (ulid: string): string => {
    if (!ids.has(ulid)) ids.set(ulid, `01KAHTXB5W0G4J8Q2Z6R9M${String(ids.size).padStart(4, '0')}`);
    return ids.get(ulid) ?? '';
  };
  const short = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.slice(0, 1).map(short);
    if (typeof value === 'string')
      return (value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value)
        .replaceAll(ULID, fixed)
        .replaceAll(/t-[0-9a-f]{12}/g, 'mine')
        .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:3000')
        .replaceAll(/whsec_[\w+/=]+/g, 'whsec_ZXhhbXBsZSBzZWNyZXQgb2YgMjQgYnk=');
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key.replaceAll(ULID, fixed), short(member)]));
  };
  return short(examples) as Examples;
}

/** What differs between two runs: instants, ids, order numbers, codes and durations. */
const CHANGING =
  /\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d\d:\d\d\b|01KAHTXB5W0G4J8Q2Z6R9M\d{4}|\d{6}-[0-9A-Z]{6}|"(?:\d{6}|[0-9A-F]{6})"|UC\d{14}|reh_example-mine_[\w-]+|\br-[0-9a-z]{26}\b|\b[0-9a-f]{16,}\b|\d+\.\d+/g;

/** An example that differs from an earlier recording in such values only stays as it was. */
function unlessEqual(earlier: Examples, examples: Examples): Examples {
  const lasting = (example: unknown): string => JSON.stringify(example, shownCard)?.replaceAll(CHANGING, '') ?? '';
  const kept = Object.entries(examples).map(([id, example]) => [
    id,
    lasting(earlier[id]) === lasting(example) ? (earlier[id] ?? example) : example,
  ]);
  return Object.fromEntries(kept) as Examples;
}

/** The members of an answer and their types. */
const shapeOf = (value: unknown): Record<string, string> =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, Array.isArray(member) ? 'array' : typeof member]))
    : {};

const schemasOf = (id: string): { readonly request: z.ZodType; readonly response: z.ZodType } =>
  publicApis.find((api) => api.id === id) ?? (controlOperations[id as ControlId] as { request: z.ZodType; response: z.ZodType });

/** The journal hides the number of a loyalty card. A mock server that serves the examples needs one. */
const shownCard = (member: string, value: unknown): unknown => (member === 'cardNumber' && value === CENSOR ? '2990000123459' : value);

test('Every operation has a recorded example that the schemas accept and that has the shape of a real answer', async () => {
  const real: Examples = {};
  await callApis(real);
  await operate(real);
  await refuseEach(real);
  if (isRecording) {
    const earlier = JSON.parse(readFileSync(FILE, 'utf8')) as Examples;
    const sorted = Object.entries(unlessEqual(earlier, shortened(real))).sort(([one], [other]) => one.localeCompare(other));
    writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(sorted), shownCard, 1)}\n`);
  }
  const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as Examples;
  const ids = [...publicApis, ...operations].map(({ id }) => id);
  expect(ids.filter((id) => real[id] === undefined)).toEqual([]);
  expect(ids.filter((id) => real[id]?.refusal === undefined)).toEqual([]);
  expect(Object.keys(recorded).toSorted()).toEqual(ids.toSorted());
  const wrong = ids.flatMap((id) => {
    const { request, response } = recorded[id] ?? {};
    const schemas = schemasOf(id);
    const results = [
      ...(request === undefined ? [] : [schemas.request.safeParse(request)]),
      ...(response === undefined ? [] : [schemas.response.safeParse(response)]),
    ];
    return results.flatMap(({ error }) => (error ? [`${id}: ${error.message.slice(0, 300)}`] : []));
  });
  expect(wrong).toEqual([]);
  const shapes = (examples: Examples) => ids.map((id) => [id, shapeOf(examples[id]?.request), shapeOf(examples[id]?.response)]);
  expect(shapes(recorded)).toEqual(shapes(real));
  const refusals = (examples: Examples) =>
    ids.map((id) => [id, examples[id]?.refusal?.status, (examples[id]?.refusal?.body as { readonly code?: string } | undefined)?.code]);
  expect(refusals(recorded)).toEqual(refusals(real));
}, 120_000);
