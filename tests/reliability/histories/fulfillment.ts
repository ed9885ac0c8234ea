import fc from 'fast-check';
import { signWebhook } from '../../../shared/control/webhook-signature.ts';
import { about, kind, of, type RunningHistory, succeeded } from './running-history.ts';

async function ship(
  { ask, things }: RunningHistory,
  { id, service, short }: { id: string; service: 'STANDARD' | 'LOST' | 'RTS' | 'ATTEMPT3'; short: boolean },
): Promise<void> {
  const picking = await ask('create-picking-order-api', { body: { fulfillmentOrderId: id } });
  if (picking.status >= 300) return;
  if (picking.status === 201) things.pickings.push(picking.body);
  const { params } = { params: { id: String(picking.body.id) } };
  await ask('update-picking-status-api', { params, body: { status: 'started' } });
  const lines = picking.body.lines as { orderLineId: string; qty: number }[];
  const picked = lines.map(({ orderLineId, qty }, index) => ({ orderLineId, pickedQty: index === 0 ? qty - 1 : qty }));
  await ask('update-picking-status-api', { params, body: short ? { status: 'short', lines: picked } : { status: 'picked' } });
  await ask('update-picking-status-api', { params, body: { status: 'packed' } });
  await ask('dispatch-fulfillment-order-api', { params: { id }, body: { service } });
}

async function sendWebhook(
  { rehearsal }: RunningHistory,
  { id, status, minutes, forged }: { id: string; status: string; minutes: number; forged: boolean },
): Promise<void> {
  const now = await rehearsal.now();
  const occurredAt = new Date(now + minutes * 60_000).toISOString();
  const body = JSON.stringify({ type: 'shipment.tracking.updated', timestamp: occurredAt, data: { shipmentId: id, status, occurredAt } });
  const secret = forged ? 'whsec_Zm9yZ2Vk' : rehearsal.credentials.webhookSecret;
  const headers: Record<string, string> = { ...signWebhook(secret, { id: `own-${id}-${status}-${minutes}`, at: now, body }) };
  const reply = await rehearsal.call('POST', rehearsal.credentials.webhookUrl, body, { as: 'none', headers });
  if (forged ? reply.status < 400 : reply.status === 500) throw new Error(`a webhook was answered ${reply.status}`);
  if (reply.status < 300) succeeded.set('carrier-webhook', (succeeded.get('carrier-webhook') ?? 0) + 1);
}

export const fulfilment = {
  pick: kind({ of }, ({ ask, things }, given) =>
    about(things.fulfillmentOrders, given.of, async (fulfillmentOrderId) => {
      const { status, body } = await ask('create-picking-order-api', { body: { fulfillmentOrderId } });
      if (status === 201) things.pickings.push(body);
    }),
  ),
  picking: kind(
    { of, status: fc.constantFrom('started', 'picked', 'picked', 'short', 'packed', 'packed'), picked: fc.nat(2) },
    ({ ask, things }, { of: which, status, picked }) =>
      about(things.pickings, which, ({ id, lines }) => {
        const short = status === 'short' && {
          lines: lines.map(({ orderLineId, qty }) => ({ orderLineId, pickedQty: Math.min(picked, qty) })),
        };
        return ask('update-picking-status-api', { params: { id }, body: { status, ...short } });
      }),
  ),
  dispatch: kind({ of, service: fc.constantFrom('STANDARD', 'EXPRESS', 'LOST', 'RTS', 'ATTEMPT3') }, ({ ask, things }, given) =>
    about(things.fulfillmentOrders, given.of, (id) =>
      ask('dispatch-fulfillment-order-api', { params: { id }, body: { service: given.service } }),
    ),
  ),
  /** From there to the dispatched parcel. */
  ship: kind({ of, service: fc.constantFrom('STANDARD', 'STANDARD', 'LOST', 'RTS', 'ATTEMPT3'), short: fc.boolean() }, (history, given) =>
    about(history.things.fulfillmentOrders, given.of, (id) => ship(history, { ...given, id })),
  ),
  label: kind({ of }, ({ ask, things, rehearsal }, given) =>
    about(things.parcels, given.of, async (id) => {
      const { status, body } = await ask('generate-label-api', { params: { id } });
      const [file, name] = status < 300 ? new URL(body.label.url, 'http://estate').pathname.split('/').reverse() : [];
      if (file !== undefined && name === rehearsal.name) await ask('label-document', { params: { rehearsal: name, file } });
    }),
  ),
  track: kind({ of }, async ({ ask, things }, given) => {
    await about(things.parcels, given.of, (id) => ask('track-shipment-api', { params: { id } }));
    await about(things.fulfillmentOrders, given.of, (id) => ask('get-fulfillment-order-api', { params: { id } }));
  }),
  scan: kind(
    { of, scan: fc.constantFrom('collect', 'depart', 'out-for-delivery', 'deliver', 'attempt', 'hold', 'return', 'lose', 'find') },
    ({ play, things }, { of: which, scan }) => about(things.parcels, which, (id) => play('POST', `shipments/${id}/${scan}`)),
  ),
  webhook: kind(
    {
      of,
      status: fc.constantFrom('collected', 'in-transit', 'out-for-delivery', 'delivery-attempted', 'delivered'),
      minutes: fc.integer({ min: -60, max: 60 }),
      forged: fc.boolean(),
    },
    (history, given) => about(history.things.parcels, given.of, (id) => sendWebhook(history, { ...given, id })),
  ),
};
