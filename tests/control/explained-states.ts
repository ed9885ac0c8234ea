import type { ApiInput } from '../../rehearsal/call-types.ts';
import { atCounter } from '../flows/changing-requests.ts';
import { type Reach, walks } from '../flows/life-cycle-walks.ts';
import { ADDRESS, type TestRehearsal } from '../support/estate.ts';

type Ask = (rehearsal: TestRehearsal, id: string) => ReturnType<TestRehearsal['call']>;

/** How to reach every state of every object with a life cycle. */
export const reached = Object.fromEntries(Object.entries(walks).map(([type, { states }]) => [type, states]));

/** A return by parcel after these steps. */
const byParcel =
  (...steps: Parameters<TestRehearsal['moved']>[1][]): Reach =>
  async (rehearsal) => {
    await rehearsal.progress({ returns: 'manual', refund: 'manual', carrier: 'manual' });
    const { id } = await rehearsal.announced(await rehearsal.completed(), 1, { dropOff: 'carrier' });
    for (const step of steps) {
      if (step === 'write-off') {
        const {
          shipments: [parcel],
        } = await rehearsal.returned(id);
        await rehearsal.scanned(parcel.id, 'collect', 'lose');
      }
      await rehearsal.moved(id, step);
    }
    return { id };
  };

interface Obstructed {
  readonly type: string;
  /** The refused verbs. */
  readonly refused: readonly string[];
  readonly reach: Reach;
}

async function newest(rehearsal: TestRehearsal, type: string): Promise<{ readonly id: string }> {
  const { items } = await rehearsal.control('list-objects', { params: { type }, query: { limit: 1 } });
  return { id: items[0]?.id ?? '' };
}

/** Objects whose state allows verbs that a rule or another object refuses. */
export const obstructed: Readonly<Record<string, Obstructed>> = {
  'an order with dispatched goods': {
    type: 'order',
    refused: ['cancel'],
    reach: async (rehearsal) => ({ id: (await rehearsal.dispatchedOrder()).orderId }),
  },
  'an unpaid draft': { type: 'order', refused: ['confirm'], reach: (rehearsal) => rehearsal.draft() },
  'a draft with an undecided payment': {
    type: 'order',
    refused: ['confirm'],
    reach: async (rehearsal) => {
      const order = await rehearsal.draft();
      await rehearsal.authorisation(order.id, undefined, 'tok_3ds');
      return order;
    },
  },
  'an order whose goods are all announced for return': {
    type: 'order',
    refused: ['open-return'],
    reach: async (rehearsal) => {
      await rehearsal.progress({ returns: 'manual' });
      const order = await rehearsal.completed();
      await rehearsal.announced(order, 2);
      return order;
    },
  },
  'a return whose parcel may arrive': { type: 'return', refused: ['reject'], reach: byParcel('approve') },
  'a return that is written off': {
    type: 'return',
    refused: ['reject', 'receive', 'write-off'],
    reach: byParcel('approve', 'write-off'),
  },
  'a fulfillment order whose goods are picked': {
    type: 'fulfillment-order',
    refused: ['pick', 'pick-nothing'],
    reach: async (rehearsal) => ({ id: (await rehearsal.pickedOrder({}, 'started', 'picked')).fulfillmentOrderId }),
  },
  'an empty basket': {
    type: 'basket',
    refused: ['checkout', 'change-line', 'remove-line'],
    reach: (rehearsal) => rehearsal.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada' } }),
  },
  'a basket at a till': {
    type: 'basket',
    refused: ['change-checkout'],
    reach: async (rehearsal) => {
      const lines = [{ sku: 'mug-blue', qty: 1 }];
      await rehearsal.api('create-transaction-api', { body: { storeId: 'store-01', laneId: 'SCO-01', lines } });
      const { items } = await rehearsal.control('list-objects', { params: { type: 'basket' } });
      return { id: items[0]?.id ?? '' };
    },
  },
  'a packed fulfillment order whose payment nobody captured': {
    type: 'fulfillment-order',
    refused: ['dispatch'],
    reach: async (rehearsal) => {
      await rehearsal.progress({ capture: 'manual' });
      return { id: (await rehearsal.packedOrder()).fulfillmentOrderId };
    },
  },
  'goods at a counter whose payment nobody captured': {
    type: 'fulfillment-order',
    refused: ['hand-over'],
    reach: async (rehearsal) => {
      await rehearsal.progress({ store: 'manual', capture: 'manual' });
      return atCounter(rehearsal);
    },
  },
  'a fulfillment order whose picking order is open': {
    type: 'fulfillment-order',
    refused: ['pick', 'pick-nothing'],
    reach: async (rehearsal) => ({ id: (await rehearsal.pickedOrder()).fulfillmentOrderId }),
  },
  'a reservation during picking': {
    type: 'reservation',
    refused: ['release'],
    reach: async (rehearsal) => {
      await rehearsal.pickedOrder({}, 'started');
      return newest(rehearsal, 'reservation');
    },
  },
  'a reservation at a till': {
    type: 'reservation',
    refused: ['release'],
    reach: async (rehearsal) => {
      await rehearsal.sale();
      return newest(rehearsal, 'reservation');
    },
  },
  'a basket with a product that is sold out': {
    type: 'basket',
    refused: ['checkout', 'change-line'],
    reach: async (rehearsal) => {
      const found = await rehearsal.basket({ sku: 'mug-green', qty: 1 });
      const { locations } = await rehearsal.object('inventory-item', 'mug-green');
      for (const { locationId } of locations) {
        await rehearsal.control('count-stock-by-hand', { params: { sku: 'mug-green', locationId }, body: { onHand: 0 } });
      }
      return found;
    },
  },
  'a basket with a suspended product': {
    type: 'basket',
    refused: ['checkout', 'start-transaction'],
    reach: async (rehearsal) => {
      const found = await rehearsal.basket({ sku: 'mug-green', qty: 1 });
      await rehearsal.control('move-product-by-hand', { params: { id: 'prd_mug-green', verb: 'suspend' } });
      return found;
    },
  },
  'a basket of a blocked customer': {
    type: 'basket',
    refused: ['checkout', 'start-transaction'],
    reach: async (rehearsal) => {
      const found = await rehearsal.api('create-basket-api', {
        body: { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 1 }] },
      });
      await rehearsal.control('move-customer-by-hand', { params: { id: 'cus_ada', verb: 'block' } });
      return found;
    },
  },
  'a paid draft of a blocked customer': {
    type: 'order',
    refused: ['confirm'],
    reach: async (rehearsal) => {
      const order = await rehearsal.draft();
      await rehearsal.authorisation(order.id);
      await rehearsal.control('move-customer-by-hand', { params: { id: 'cus_ada', verb: 'block' } });
      return order;
    },
  },
  'an inspected return that pays for a draft': {
    type: 'return',
    refused: ['reject'],
    reach: async (rehearsal) => {
      await rehearsal.progress({ returns: 'manual', refund: 'manual' });
      const { id } = await rehearsal.announced(await rehearsal.completed(), 1, { resolution: 'exchange' });
      await rehearsal.moved(id, 'approve', 'receive', 'inspect');
      const { id: basketId } = await rehearsal.checkedOut();
      await rehearsal.api('create-order-api', { body: { basketId, exchangeForReturnId: id } });
      return { id };
    },
  },
  'a member': {
    type: 'customer',
    refused: ['enrol'],
    reach: async () => ({ id: 'cus_ada' }),
  },
  'a guest whose e-mail another customer has registered': {
    type: 'customer',
    refused: ['register'],
    reach: async (rehearsal) => {
      const { email } = await rehearsal.object('customer', 'cus_hugo');
      await rehearsal.control('change-customer-by-hand', { params: { id: 'cus_ada' }, body: { email } });
      return { id: 'cus_hugo' };
    },
  },
  'a payment by gift card': {
    type: 'payment',
    refused: ['dispute', 'win-dispute', 'lose-dispute'],
    reach: async (rehearsal) => {
      const { id: orderId } = await rehearsal.draft();
      const { id } = await rehearsal.authorisation(orderId, undefined, { type: 'gift-card', token: 'gift_50' });
      return rehearsal.api('capture-payment-api', { params: { id } });
    },
  },
};

const decided =
  (outcome: string): Ask =>
  (rehearsal, id) =>
    rehearsal.call('POST', `/_control/payments/${id}/action`, { outcome }, { as: 'admin' });
const dispute =
  (path: string, body: object): Ask =>
  (rehearsal, id) =>
    rehearsal.call('POST', `/_control/payments/${id}/${path}`, body, { as: 'admin' });
const refundResult =
  (body: ApiInput<'note-refund-result-api'>['body']): Ask =>
  (rehearsal, id) =>
    rehearsal.call('note-refund-result-api', { params: { id, refundId: `${id}.refund-1` }, body });
const picking =
  (status: string, isShort = false): Ask =>
  async (rehearsal, id) => {
    const { pickingOrderId = 'pck_nobody', lines } = await rehearsal.object('fulfillment-order', id);
    const none = lines.map(({ orderLineId }: { orderLineId: string }) => ({ orderLineId, pickedQty: 0 }));
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
    'change-line': (rehearsal, id) => rehearsal.call('PATCH', `/baskets/${id}/lines/${id}-1`, { qty: 3 }),
    'start-transaction': inBasket('/transactions', (basketId) => ({ storeId: 'store-01', laneId: 'SCO-01', basketId })),
    'change-checkout': inBasket('/baskets/{id}/checkout', () => ({ shippingAddress: ADDRESS, shippingMethod: 'EXPRESS' })),
    'cancel-checkout': inBasket('/transactions/{id}/void', () => ({})),
  },
  order: {
    route: (rehearsal, id) => rehearsal.call('route-order-api', { params: { id } }),
    replace: async (rehearsal, id) => {
      const { lines } = await rehearsal.order(id);
      const orderLineId = (lines.find(({ fulfilledQty }) => fulfilledQty > 0) ?? lines[0]).lineId;
      const body = { lines: [{ orderLineId, qty: 1 }], reason: 'damaged' as const };
      return rehearsal.call('create-replacement-api', { params: { id }, body });
    },
    change: (rehearsal, id) =>
      rehearsal.call('change-order-api', { params: { id }, body: { shippingAddress: { ...ADDRESS, line1: '7 Shop Street' } } }),
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
    'hand-over': async (rehearsal, id) => {
      const { collection } = await rehearsal.object('fulfillment-order', id);
      return rehearsal.call('hand-over-collection-api', { params: { id }, body: { code: collection?.code ?? '123456' } });
    },
    extend: (rehearsal, id) => rehearsal.call('extend-collection-api', { params: { id } }),
  },
  customer: {
    'log-interaction': (rehearsal, customerId) => rehearsal.call('log-interaction-api', { body: { customerId, type: 'visit' } }),
    register: async (rehearsal, id) => {
      const { email, phone } = await rehearsal.object('customer', id);
      return rehearsal.call('create-customer-api', { body: { firstName: 'Hugo', lastName: 'Lang', email, phone } });
    },
    enrol: (rehearsal, customerId) => rehearsal.call('enroll-loyalty-member-api', { body: { customerId } }),
  },
  payment: {
    authenticate: decided('succeeded'),
    'fail-authentication': decided('failed'),
    'settle-refund': refundResult({ state: 'succeeded' }),
    'fail-refund': refundResult({ state: 'failed', failureReason: 'account_closed' }),
    dispute: dispute('dispute', { reason: 'general' }),
    'win-dispute': dispute('dispute/outcome', { outcome: 'won' }),
    'lose-dispute': dispute('dispute/outcome', { outcome: 'lost' }),
  },
};

/** The call that carries out a verb of an object. */
export function askFor(type: string, verb: string): Ask | undefined {
  const ask = walks[type]?.verbs[verb];
  return more[type]?.[verb] ?? (ask && ((rehearsal, id) => ask(rehearsal, { id })));
}
