import { Scan } from '../../shared/catalog/fulfillment/shipments.ts';
import { walks } from '../flows/life-cycle-walks.ts';
import { ADDRESS, type TestRehearsal } from '../support/estate.ts';
import { card, eur } from '../support/steps/tender.ts';

type Reach = (rehearsal: TestRehearsal) => Promise<{ readonly id: string }>;
type Ask = (rehearsal: TestRehearsal, id: string) => ReturnType<TestRehearsal['call']>;

type Scans = (typeof Scan.options)[number][];
/** A parcel of an order after these scans. */
const scanned =
  (...scans: Scans): Reach =>
  async (rehearsal) => {
    await rehearsal.progress({ carrier: 'manual' });
    const { shipmentId: id } = await rehearsal.dispatchedOrder();
    await rehearsal.scanned(id, ...scans);
    return { id };
  };
const shipments: Readonly<Record<string, Reach>> = {
  pending: async (rehearsal) => {
    await rehearsal.progress({ label: 'manual' });
    return { id: (await rehearsal.dispatchedOrder()).shipmentId };
  },
  'label-created': scanned(),
  collected: scanned('collect'),
  'in-transit': scanned('collect', 'depart'),
  'out-for-delivery': scanned('collect', 'depart', 'out-for-delivery'),
  'delivery-attempted': scanned('collect', 'depart', 'out-for-delivery', 'attempt'),
  'held-at-depot': scanned('collect', 'depart', 'hold'),
  delivered: scanned('collect', 'depart', 'out-for-delivery', 'deliver'),
  'returned-to-sender': scanned('collect', 'return'),
  lost: scanned('collect', 'lose'),
};

/** A payment of a draft order. */
const paid =
  (token: string, ...steps: readonly ('capture' | 'void' | number)[]): Reach =>
  async (rehearsal) => {
    const { id: orderId } = await rehearsal.draft();
    const { body } = await rehearsal.call('authorize-payment-api', { body: { orderId, tender: card(token) } });
    const id = body.id ?? body.paymentId;
    for (const step of steps) {
      if (typeof step === 'number') await rehearsal.refunded(id, step);
      else await rehearsal.api(`${step}-payment-api`, { params: { id } });
    }
    return { id };
  };
const payments: Readonly<Record<string, Reach>> = {
  pending: paid('tok_async_approve'),
  'requires-action': paid('tok_3ds'),
  authorised: paid('tok_visa'),
  captured: paid('tok_visa', 'capture'),
  'partially-refunded': paid('tok_visa', 'capture', 100),
  'fully-refunded': paid('tok_visa', 'capture', 3_088),
  voided: paid('tok_visa', 'void'),
  failed: paid('tok_decline_do_not_honor'),
};

/** Every state of every object with a life cycle. */
export const reached: Readonly<Record<string, Readonly<Record<string, Reach>>>> = {
  ...Object.fromEntries(Object.entries(walks).map(([type, { states }]) => [type, states])),
  shipment: shipments,
  payment: payments,
};
const outcome =
  (of: 'succeeded' | 'failed'): Ask =>
  (rehearsal, id) =>
    rehearsal.call('POST', `/_control/payments/${id}/action`, { outcome: of }, { as: 'admin' });
const dispute =
  (path: string, body: object): Ask =>
  (rehearsal, id) =>
    rehearsal.call('POST', `/_control/payments/${id}/${path}`, body, { as: 'admin' });
const scan =
  (verb: string): Ask =>
  (rehearsal, id) =>
    rehearsal.call('POST', `/_control/shipments/${id}/${verb}`, {}, { as: 'admin' });
const picking =
  (status: string, isShort = false): Ask =>
  async (rehearsal, id) => {
    const { pickingOrderId = 'pck_nobody', lines } = await rehearsal.object('fulfillment-order', id);
    const none = lines.map(({ orderLineId }: { orderLineId: string }) => ({ orderLineId, pickedQty: 0 }));
    await rehearsal.movePicking(pickingOrderId, 'started');
    return rehearsal.movePicking(pickingOrderId, status, isShort ? none : undefined);
  };
const inBasket =
  (path: string, body: (id: string, transactionId: string) => object): Ask =>
  async (rehearsal, id) => {
    const { transactionId = id } = await rehearsal.object('basket', id);
    return rehearsal.call('POST', path.replace('{id}', transactionId), body(id, transactionId));
  };

/** Verbs that the walks of the life cycles do not take. */
const more: Readonly<Record<string, Readonly<Record<string, Ask>>>> = {
  basket: {
    'start-transaction': inBasket('/transactions', (basketId) => ({ storeId: 'store-01', laneId: 'SCO-01', basketId })),
    'change-checkout': inBasket('/baskets/{id}/checkout', () => ({ shippingAddress: ADDRESS, shippingMethod: 'EXPRESS' })),
    'cancel-checkout': inBasket('/transactions/{id}/void', () => ({})),
  },
  order: {
    route: (rehearsal, id) => rehearsal.call('route-order-api', { params: { id } }),
    'open-return': async (rehearsal, orderId) => {
      const { lines } = await rehearsal.order(orderId);
      const body = { orderId, lines: [{ orderLineId: lines[0].lineId, qty: 1, reason: 'too small' }], dropOff: 'carrier' };
      return rehearsal.call('create-return-api', { body });
    },
  },
  'fulfillment-order': {
    pick: picking('picked'),
    'pick-nothing': picking('short', true),
    pack: picking('packed'),
  },
  customer: {
    'log-interaction': (rehearsal, customerId) => rehearsal.call('log-interaction-api', { body: { customerId, type: 'visit' } }),
    enrol: (rehearsal, customerId) => rehearsal.call('enroll-loyalty-member-api', { body: { customerId } }),
  },
  shipment: {
    ...Object.fromEntries(Scan.options.map((verb) => [verb, scan(verb)])),
    label: (rehearsal, id) => rehearsal.label(id),
  },
  payment: {
    capture: (rehearsal, id) => rehearsal.call('capture-payment-api', { params: { id } }),
    void: (rehearsal, id) => rehearsal.call('void-payment-api', { params: { id } }),
    refund: (rehearsal, id) => rehearsal.call('refund-payment-api', { params: { id }, body: { amount: eur(100) } }),
    authenticate: outcome('succeeded'),
    'fail-authentication': outcome('failed'),
    dispute: dispute('dispute', { reason: 'general' }),
    'win-dispute': dispute('dispute/outcome', { outcome: 'won' }),
    'lose-dispute': dispute('dispute/outcome', { outcome: 'lost' }),
  },
};

/** How a caller makes an object take a verb. */
export function askFor(type: string, verb: string): Ask | undefined {
  const ask = walks[type]?.verbs[verb];
  return more[type]?.[verb] ?? (ask && ((rehearsal, id) => ask(rehearsal, { id })));
}
