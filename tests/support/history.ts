import fc from 'fast-check';
import { signWebhook } from '../../shared/simulation/webhook-signature.ts';
import { ADDRESS, newRehearsal, type TestRehearsal } from './estate.ts';

/**
 * A history is plain data: what somebody does, one after the other or a few at once, each about one of the things that came into
 * being before (`of`, counted round). A counterexample can therefore be pasted into a named test as it was printed.
 */
export type Act =
  | { readonly do: 'basket'; readonly sku: string; readonly qty: number; readonly customer: string | null }
  | { readonly do: 'line'; readonly of: number; readonly sku: string; readonly qty: number }
  | { readonly do: 'checkout'; readonly of: number; readonly voucher: string | null; readonly placeOrder: boolean }
  | { readonly do: 'order'; readonly of: number }
  | { readonly do: 'authorise'; readonly of: number; readonly type: string; readonly token: string; readonly part: number }
  | { readonly do: 'confirm' | 'cancel' | 'route'; readonly of: number }
  | { readonly do: 'capture' | 'void'; readonly of: number }
  | { readonly do: 'refund'; readonly of: number; readonly amount: number }
  | { readonly do: 'reserve'; readonly sku: string; readonly qty: number; readonly ttlSeconds: number }
  | { readonly do: 'confirm-hold' | 'release-hold'; readonly of: number }
  | { readonly do: 'redeem'; readonly of: number; readonly points: number }
  | { readonly do: 'pick'; readonly of: number }
  | { readonly do: 'picking'; readonly of: number; readonly status: string; readonly picked: number }
  | { readonly do: 'dispatch'; readonly of: number; readonly service: string }
  | { readonly do: 'label'; readonly of: number }
  | { readonly do: 'scan'; readonly of: number; readonly scan: string }
  | { readonly do: 'webhook'; readonly of: number; readonly status: string; readonly minutes: number; readonly forged: boolean }
  /** From basket to confirmed order, and from there to the dispatched parcel: shortcuts without which few histories get far. */
  | { readonly do: 'sell'; readonly sku: string; readonly qty: number; readonly other: string | null; readonly token: string }
  | { readonly do: 'ship'; readonly of: number; readonly service: string; readonly short: boolean }
  | { readonly do: 'advance'; readonly by: string }
  | { readonly do: 'fault'; readonly application: string; readonly kind: 'outage' | 'lost-response' | 'latency'; readonly times: number }
  | { readonly do: 'mend' };

/** Acts that happen at the same time. */
export type History = readonly (readonly Act[])[];

const of = fc.nat(5);
const sku = fc.constantFrom('mug-blue', 'mug-blue', 'lamp-last-one', 'desk-two-nodes', 'wine-red');
const qty = fc.integer({ min: 1, max: 3 });
const application = fc.constantFrom(
  'ecommerce-platform',
  'oms',
  'payment-hub',
  'sim',
  'inventory-service',
  'promotion-engine',
  'loyalty-platform',
  'crm',
  'fms',
  'wms',
  'carrier-platform',
);
const verb = <const V extends string>(weight: number, ...verbs: readonly V[]) => ({
  weight,
  arbitrary: fc.record({ do: fc.constantFrom(...verbs), of }),
});

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('basket' as const), sku, qty, customer: fc.constantFrom('cus_ada', 'cus_ben', null) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('line' as const), of, sku, qty }) },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constant('checkout' as const),
      of,
      voucher: fc.constantFrom(null, null, 'WELCOME10', 'USEDUP'),
      placeOrder: fc.boolean(),
    }),
  },
  verb(6, 'order'),
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('authorise' as const),
      of,
      type: fc.constantFrom('card', 'card', 'gift-card', 'bnpl'),
      token: fc.constantFrom('tok_visa', 'tok_visa', 'tok_async_approve', 'tok_timeout', 'tok_decline_do_not_honor', 'gift_50', 'gift_5'),
      part: fc.constantFrom(0, 0, 500),
    }),
  },
  verb(8, 'confirm'),
  verb(2, 'cancel', 'route'),
  verb(2, 'capture', 'void'),
  { weight: 1, arbitrary: fc.record({ do: fc.constant('refund' as const), of, amount: fc.integer({ min: 1, max: 4_000 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reserve' as const), sku, qty, ttlSeconds: fc.constantFrom(30, 900) }) },
  verb(1, 'confirm-hold', 'release-hold'),
  { weight: 1, arbitrary: fc.record({ do: fc.constant('redeem' as const), of, points: fc.integer({ min: 1, max: 600 }) }) },
  verb(7, 'pick'),
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constant('picking' as const),
      of,
      status: fc.constantFrom('started', 'picked', 'picked', 'short', 'packed', 'packed'),
      picked: fc.nat(2),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('dispatch' as const),
      of,
      service: fc.constantFrom('STANDARD', 'EXPRESS', 'LOST', 'RTS', 'ATTEMPT3'),
    }),
  },
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constant('sell' as const),
      sku,
      qty,
      other: fc.constantFrom(null, 'desk-two-nodes', 'wine-red'),
      token: fc.constantFrom('tok_visa', 'tok_visa', 'tok_visa', 'tok_async_approve'),
    }),
  },
  {
    weight: 16,
    arbitrary: fc.record({
      do: fc.constant('ship' as const),
      of,
      service: fc.constantFrom('STANDARD', 'STANDARD', 'LOST', 'RTS', 'ATTEMPT3'),
      short: fc.boolean(),
    }),
  },
  verb(1, 'label'),
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('scan' as const),
      of,
      scan: fc.constantFrom('collect', 'depart', 'out-for-delivery', 'deliver', 'attempt', 'hold', 'return', 'lose', 'find'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('webhook' as const),
      of,
      status: fc.constantFrom('collected', 'in-transit', 'out-for-delivery', 'delivery-attempted', 'delivered'),
      minutes: fc.integer({ min: -60, max: 60 }),
      forged: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      by: fc.constantFrom('PT1M', 'PT16M', 'PT6H', 'P1D', 'P3D', 'P8D', 'P15D'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      application,
      kind: fc.constantFrom('outage', 'lost-response', 'latency'),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('mend' as const) }) },
);

export const histories: fc.Arbitrary<History> = fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), { minLength: 8, maxLength: 24 });

/** Acts about what orders brought about, which has to be looked for. */
const ABOUT_FULFILMENT: ReadonlySet<Act['do']> = new Set(['pick', 'dispatch', 'ship', 'label', 'scan', 'webhook']);

/** What came into being so far. */
interface Things {
  readonly baskets: string[];
  readonly orders: string[];
  readonly payments: string[];
  readonly holds: string[];
  readonly fulfillmentOrders: string[];
  readonly pickings: { readonly id: string; readonly lines: readonly { readonly orderLineId: string; readonly qty: number }[] }[];
  readonly parcels: string[];
  /** How many events were looked at. */
  heard: number;
}

/** Lives a history through in a rehearsal of its own, lets time finish what is under way, and checks the invariants. */
export async function liveThrough(history: History): Promise<void> {
  await using rehearsal = await newRehearsal();
  const things: Things = { baskets: [], orders: [], payments: [], holds: [], fulfillmentOrders: [], pickings: [], parcels: [], heard: 0 };
  for (const acts of history) {
    if (acts.some((one) => ABOUT_FULFILMENT.has(one.do))) await look(rehearsal, things);
    await Promise.all(acts.map((one) => perform(rehearsal, things, one)));
  }
  await rehearsal.noFaults();
  await look(rehearsal, things);
  await rehearsal.advance('P30D');
  await rehearsal.verify();
  for (const id of things.orders) reached(`order ${(await ask(rehearsal, 'GET', `/orders/${id}`)).body.state}`);
  for (const id of things.fulfillmentOrders) reached(`fulfillment-order ${(await rehearsal.object('fulfillment-order', id)).state}`);
  for (const id of things.parcels) {
    const parcel = await rehearsal.call('GET', `/shipments/${id}/tracking`, undefined, { as: 'api-key' });
    reached(`shipment ${parcel.body?.state}`);
  }
}

/** How often histories ended in which states: what keeps them from being histories of refusals. */
export const ends = new Map<string, number>();
const reached = (end: string): void => void ends.set(end, (ends.get(end) ?? 0) + 1);

/** Every answer must be one that a user can make sense of: nothing breaks without a fault that was asked for. */
async function ask(rehearsal: TestRehearsal, method: string, path: string, body?: unknown, as: 'bearer' | 'api-key' = 'bearer') {
  const reply = await rehearsal.call(method, path, body, { as });
  if (reply.status === 500) throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(reply.body)}`);
  return reply;
}

const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % Math.max(1, from.length)];

async function perform(rehearsal: TestRehearsal, things: Things, one: Act): Promise<void> {
  const send = (method: string, path: string, body?: unknown, as?: 'bearer' | 'api-key') => ask(rehearsal, method, path, body, as);
  const created = (list: string[], reply: { status: number; body: { id?: string } }): void => {
    if (reply.status === 201 && reply.body.id !== undefined) list.push(reply.body.id);
  };
  switch (one.do) {
    case 'basket': {
      const lines = [{ sku: one.sku, qty: one.qty }];
      created(things.baskets, await send('POST', '/baskets', { channel: 'web', lines, ...(one.customer && { customerId: one.customer }) }));
      return;
    }
    case 'line':
      return about(things.baskets, one.of, (id) => send('POST', `/baskets/${id}/lines`, { sku: one.sku, qty: one.qty }));
    case 'checkout': {
      const body = { shippingAddress: ADDRESS, placeOrder: one.placeOrder, ...(one.voucher && { voucherCodes: [one.voucher] }) };
      return about(things.baskets, one.of, async (id) => {
        const reply = await send('POST', `/baskets/${id}/checkout`, body);
        if (reply.body?.orderId && !things.orders.includes(reply.body.orderId)) things.orders.push(reply.body.orderId);
      });
    }
    case 'order':
      return about(things.baskets, one.of, async (basketId) => created(things.orders, await send('POST', '/orders', { basketId })));
    case 'authorise': {
      const amount = one.part > 0 ? { amount: { amount: one.part, currency: 'EUR' } } : {};
      return about(things.orders, one.of, async (orderId) => {
        const reply = await send('POST', '/payments/authorizations', { orderId, tender: { type: one.type, token: one.token }, ...amount });
        created(things.payments, reply);
      });
    }
    case 'confirm':
    case 'cancel':
    case 'route':
      return about(things.orders, one.of, (id) => send('POST', `/orders/${id}/${one.do}`, {}));
    case 'capture':
    case 'void':
      return about(things.payments, one.of, (id) => send('POST', `/payments/authorizations/${id}/${one.do}`, {}));
    case 'refund':
      return about(things.payments, one.of, (id) =>
        send('POST', `/payments/${id}/refunds`, { amount: { amount: one.amount, currency: 'EUR' } }),
      );
    case 'reserve':
      created(
        things.holds,
        await send('POST', '/inventory/reservations', { items: [{ sku: one.sku, qty: one.qty }], ttlSeconds: one.ttlSeconds }),
      );
      return;
    case 'confirm-hold':
      return about(things.holds, one.of, (id) => send('POST', `/inventory/reservations/${id}/confirm`, {}));
    case 'release-hold':
      return about(things.holds, one.of, (id) => send('DELETE', `/inventory/reservations/${id}`));
    case 'redeem':
      return about(things.orders, one.of, async (orderId) => {
        const reply = await send('POST', '/members/loy_ada/redeem', { points: one.points, orderId });
        const token = reply.body?.redemption?.id;
        if (token)
          created(
            things.payments,
            await send('POST', '/payments/authorizations', {
              orderId,
              tender: { type: 'loyalty', token },
              amount: { amount: one.points, currency: 'EUR' },
            }),
          );
      });
    case 'pick':
      return about(things.fulfillmentOrders, one.of, async (fulfillmentOrderId) => {
        const reply = await send('POST', '/picking-orders', { fulfillmentOrderId });
        if (reply.status === 201) things.pickings.push(reply.body);
      });
    case 'picking':
      return about(things.pickings, one.of, ({ id, lines }) => {
        const short = one.status === 'short' && {
          lines: lines.map(({ orderLineId, qty: asked }) => ({ orderLineId, pickedQty: Math.min(one.picked, asked) })),
        };
        return send('PUT', `/picking-orders/${id}/status`, { status: one.status, ...short });
      });
    case 'dispatch':
      return about(things.fulfillmentOrders, one.of, (id) => send('POST', `/fulfillment/orders/${id}/dispatch`, { service: one.service }));
    case 'sell':
      return sell(rehearsal, things, one);
    case 'ship':
      return about(things.fulfillmentOrders, one.of, (id) => ship(rehearsal, things, { ...one, id }));
    case 'label':
      return about(things.parcels, one.of, (id) => send('POST', `/shipments/${id}/label`, {}, 'api-key'));
    case 'scan':
      return about(things.parcels, one.of, (id) => rehearsal.client.call('POST', `/_sim/shipments/${id}/${one.scan}`, {}, { as: 'admin' }));
    case 'webhook':
      return about(things.parcels, one.of, (id) => sendWebhook(rehearsal, id, one));
    case 'advance': {
      const reply = await rehearsal.client.call('POST', '/_sim/clock/advance', { by: one.by }, { as: 'admin' });
      if (reply.status !== 200 && reply.body.code !== 'clock_busy') throw new Error(`advance: ${JSON.stringify(reply.body)}`);
      return;
    }
    case 'fault': {
      const fault = one.kind === 'latency' ? { kind: one.kind, ms: 20 } : { kind: one.kind };
      await rehearsal.fault(`${one.kind}-${one.application}`, { match: { application: one.application }, fault, times: one.times });
      return;
    }
    case 'mend':
      await rehearsal.noFaults();
  }
}

async function sell(
  rehearsal: TestRehearsal,
  things: Things,
  { sku: first, qty: units, other, token }: Extract<Act, { do: 'sell' }>,
): Promise<void> {
  const lines = [{ sku: first, qty: units }, ...(other === null || other === first ? [] : [{ sku: other, qty: 1 }])];
  const basket = await ask(rehearsal, 'POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines });
  if (basket.status !== 201) return;
  things.baskets.push(basket.body.id);
  await ask(rehearsal, 'POST', `/baskets/${basket.body.id}/checkout`, { shippingAddress: ADDRESS });
  const order = await ask(rehearsal, 'POST', '/orders', { basketId: basket.body.id });
  if (order.status >= 300) return;
  if (!things.orders.includes(order.body.id)) things.orders.push(order.body.id);
  const payment = await ask(rehearsal, 'POST', '/payments/authorizations', { orderId: order.body.id, tender: { type: 'card', token } });
  if (payment.status === 201) things.payments.push(payment.body.id);
  await ask(rehearsal, 'POST', `/orders/${order.body.id}/confirm`, {});
}

async function ship(
  rehearsal: TestRehearsal,
  things: Things,
  { id, service, short }: Extract<Act, { do: 'ship' }> & { id: string },
): Promise<void> {
  const picking = await ask(rehearsal, 'POST', '/picking-orders', { fulfillmentOrderId: id });
  if (picking.status >= 300) return;
  if (picking.status === 201) things.pickings.push(picking.body);
  const status = `/picking-orders/${picking.body.id}/status`;
  await ask(rehearsal, 'PUT', status, { status: 'started' });
  const [line, ...others] = picking.body.lines as { orderLineId: string; qty: number }[];
  const picked = [...(line ? [{ ...line, qty: line.qty - 1 }] : []), ...others].map(({ orderLineId, qty: pickedQty }) => ({
    orderLineId,
    pickedQty,
  }));
  await ask(rehearsal, 'PUT', status, short ? { status: 'short', lines: picked } : { status: 'picked' });
  await ask(rehearsal, 'PUT', status, { status: 'packed' });
  await ask(rehearsal, 'POST', `/fulfillment/orders/${id}/dispatch`, { service });
}

async function about<T>(list: readonly T[], at: number, then: (thing: T) => Promise<unknown>): Promise<void> {
  const thing = pick(list, at);
  if (thing !== undefined) await then(thing);
}

async function sendWebhook(
  rehearsal: TestRehearsal,
  shipmentId: string,
  { status, minutes, forged }: Extract<Act, { do: 'webhook' }>,
): Promise<void> {
  const now = await rehearsal.now();
  const occurredAt = new Date(now + minutes * 60_000).toISOString();
  const body = JSON.stringify({ type: 'shipment.tracking.updated', timestamp: occurredAt, data: { shipmentId, status, occurredAt } });
  const secret = forged ? 'whsec_Zm9yZ2Vk' : rehearsal.credentials.webhookSecret;
  const headers: Record<string, string> = { ...signWebhook(secret, { id: `own-${shipmentId}-${status}-${minutes}`, at: now, body }) };
  const reply = await rehearsal.call('POST', rehearsal.credentials.webhookUrl, body, { as: 'none', headers });
  if (forged && reply.status < 400) throw new Error(`a forged webhook was answered ${reply.status}`);
}

/** Finds what orders brought about, by what is new on the bus. To read every order each time would take most of a history. */
async function look(rehearsal: TestRehearsal, things: Things): Promise<void> {
  const { items, next } = await rehearsal.client.control('list-events', { query: { ext: 'true', after: things.heard, limit: 1_000 } });
  things.heard = next;
  for (const { event } of items) {
    const [type, id = ''] = String(event.subject).split('/');
    const list = type === 'fulfillment-order' ? things.fulfillmentOrders : type === 'shipment' ? things.parcels : undefined;
    if (list && !list.includes(id)) list.push(id);
  }
}
