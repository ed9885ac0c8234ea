import fc from 'fast-check';
import { about, kind, note, of, orNot, qty, type RunningHistory } from './running-history.ts';

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

/** Acts of customer service, which sends goods in place of others. */
export const replacing = {
  replace: kind(given, (history, asked) => about(history.things.orders, asked.of, (orderId) => replaceFor(history, orderId, asked))),
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
  /** The carrier loses the parcels of an order, and goods are sent in their place. */
  'lose-and-replace': kind(given, (history, asked) =>
    about(history.things.orders, asked.of, async (orderId) => {
      const { body: order } = await history.ask('get-order-api', { params: { id: orderId } });
      const parcels = (order?.fulfillmentOrders ?? []) as { readonly shipments: readonly { readonly id: string }[] }[];
      for (const { id } of parcels.flatMap(({ shipments }) => shipments))
        for (const scan of ['collect', 'lose']) await history.play('POST', `shipments/${id}/${scan}`);
      await history.rehearsal.settle();
      await replaceFor(history, orderId, { ...asked, reason: 'lost', storeId: null });
    }),
  ),
};
