import fc from 'fast-check';
import { ADDRESS } from '../../support/estate.ts';
import { about, kind, note, notePayment, of, orNot, qty, type RunningHistory, sku } from './running-history.ts';

interface Given {
  readonly qty: number;
  readonly reason: 'lost' | 'missing' | 'damaged' | 'wrong';
  readonly storeId: string | null;
}

/** Requests a replacement of units of the first line. @returns its id */
async function replaceFor({ ask, things }: RunningHistory, orderId: string, given: Given): Promise<string | undefined> {
  const order = await ask('get-order-api', { params: { id: orderId } });
  const orderLineId = order.body?.lines?.[0]?.lineId;
  if (orderLineId === undefined) return undefined;
  const where = given.storeId === null ? {} : { storeId: given.storeId };
  const body = { lines: [{ orderLineId, qty: given.qty }], reason: given.reason, ...where };
  const { status, body: made } = await ask('create-replacement-api', { params: { id: orderId }, body });
  if (status >= 300) return undefined;
  things.over.delete(orderId);
  return made.id;
}

const given = {
  of,
  qty,
  reason: fc.constantFrom('damaged', 'damaged', 'wrong', 'missing', 'lost', 'lost'),
  storeId: orNot(fc.constantFrom('store-01', 'store-02')),
} as const;

/** The ways of a parcel: most arrive or are lost. */
const JOURNEYS = [['deliver'], ['deliver'], ['lose'], ['lose'], ['lose', 'find'], ['return']] as const;

/** Picks, packs and dispatches the goods of a fulfillment order, and scans their parcels. */
async function dispatched({ ask, play, things }: RunningHistory, id: string, scans: readonly string[]): Promise<void> {
  const picking = await ask('create-picking-order-api', { body: { fulfillmentOrderId: id } });
  if (picking.status === 201) things.pickings.push(picking.body);
  for (const status of picking.status < 300 ? (['started', 'picked', 'packed'] as const) : [])
    await ask('update-picking-status-api', { params: { id: String(picking.body.id) }, body: { status } });
  const { body: gone } = await ask('dispatch-fulfillment-order-api', { params: { id }, body: {} });
  for (const parcel of (gone?.shipments ?? []) as { readonly id: string }[])
    for (const scan of ['collect', ...scans]) await play('POST', `shipments/${parcel.id}/${scan}`);
}

/** From a basket to the end of its parcel. @returns the order's id */
async function sent(history: RunningHistory, bought: { sku: string; qty: number; journey: readonly string[] }) {
  const { ask, things, rehearsal } = history;
  const lines = [{ sku: bought.sku, qty: bought.qty }];
  const basket = await ask('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada', lines } });
  note(things.baskets, basket);
  if (basket.status !== 201) return undefined;
  const body = { shippingAddress: ADDRESS, placeOrder: true };
  const { body: locked } = await ask('checkout-basket-api', { params: { id: basket.body.id }, body });
  const orderId = locked?.orderId as string | undefined;
  if (orderId === undefined) return undefined;
  if (!things.orders.includes(orderId)) things.orders.push(orderId);
  notePayment(things, await ask('authorize-payment-api', { body: { orderId, tender: { type: 'card', token: 'tok_visa' } } }));
  const confirmed = await ask('confirm-order-api', { params: { id: orderId } });
  for (const { id } of (confirmed.body?.fulfillmentOrders ?? []) as { readonly id: string }[])
    await dispatched(history, id, bought.journey);
  await rehearsal.settle();
  return orderId;
}

/** Acts of customer service, which sends goods in place of others. */
export const replacing = {
  replace: kind(given, (history, asked) => about(history.things.orders, asked.of, (orderId) => replaceFor(history, orderId, asked))),
  /** From a basket to goods in place of those that were lost or arrived. */
  'buy-and-replace': kind({ ...given, sku, journey: fc.constantFrom<readonly string[]>(...JOURNEYS) }, async (history, asked) => {
    const orderId = await sent(history, asked);
    if (orderId !== undefined)
      await replaceFor(history, orderId, { ...asked, reason: asked.journey[0] === 'lose' ? 'lost' : asked.reason });
  }),
  /** From the request for a replacement to the return of the goods that it was sent for. */
  'replace-and-take-back': kind(given, (history, asked) =>
    about(history.things.orders, asked.of, async (orderId) => {
      const replacementId = await replaceFor(history, orderId, { ...asked, reason: 'damaged' });
      if (replacementId === undefined) return;
      const { ask, things, play } = history;
      const { body: order } = await ask('get-order-api', { params: { id: orderId } });
      const lines = [{ orderLineId: order.lines[0].lineId, qty: asked.qty, reason: 'damaged' }];
      const body = { orderId, lines, dropOff: 'store' as const, locationId: 'store-01', replacementId };
      const reply = await ask('create-return-api', { body });
      note(things.returns, reply);
      if (reply.status >= 300) return;
      for (const verb of ['approve', 'receive', 'inspect']) await play('POST', `returns/${reply.body.id}/${verb}`);
    }),
  ),
  /** The carrier loses the parcels of an order, and goods are sent in their place. It may find the parcels, and lose or return these goods. */
  'lose-and-replace': kind({ ...given, after: fc.constantFrom('nothing', 'find', 'return', 'lose') }, (history, asked) =>
    about(history.things.orders, asked.of, async (orderId) => {
      const { body: order } = await history.ask('get-order-api', { params: { id: orderId } });
      const parcels = (order?.fulfillmentOrders ?? []) as { readonly shipments: readonly { readonly id: string }[] }[];
      for (const { id } of parcels.flatMap(({ shipments }) => shipments))
        for (const scan of ['collect', 'lose']) await history.play('POST', `shipments/${id}/${scan}`);
      await history.rehearsal.settle();
      const replacementId = await replaceFor(history, orderId, { ...asked, reason: 'lost', storeId: null });
      if (replacementId === undefined || asked.after === 'nothing') return;
      for (const { id } of parcels.flatMap(({ shipments }) => shipments)) await history.play('POST', `shipments/${id}/find`);
      await history.rehearsal.settle();
      const { body: after } = await history.ask('get-order-api', { params: { id: orderId } });
      const inPlace = (after?.fulfillmentOrders ?? []).at(-1) as { readonly id: string } | undefined;
      if (inPlace && asked.after !== 'find') await dispatched(history, inPlace.id, [asked.after]);
    }),
  ),
};
