import fc from 'fast-check';
import { strikableApis } from '../../../shared/catalog/control/faults.ts';
import { isMutating } from '../../../shared/catalog/define.ts';
import type { PlainReply as Reply } from '../../support/plain-client.ts';
import { about, kind, of, type RunningHistory, sku } from './running-history.ts';
import { draft } from './selling.ts';

/** Longer than a whole request of another client usually takes. */
const LATE_MS = 250;

const changing = strikableApis.filter((api) => isMutating(api) && !api.storesNothing).map(({ id }) => id);
/** The calls that two requests for one order make. */
const callsOfOrders = [
  ...['reserve-inventory-api', 'confirm-reservation-api', 'release-holds', 'take-hold', 'move-hold', 'create-fulfillment-orders'],
  ...['cancel-fulfillment', 'reverse-payment', 'capture-payment-api', 'list-payments', 'allocate-inventory-api'],
];

const delay = ({ rehearsal }: RunningHistory, api: string): Promise<unknown> =>
  rehearsal.fault(`late-${api}`, { match: { api }, fault: { kind: 'latency', ms: LATE_MS }, times: 1 });

const requests = {
  confirm: ({ ask }: RunningHistory, id: string) => ask('confirm-order-api', { params: { id } }),
  cancel: ({ ask }: RunningHistory, id: string) => ask('cancel-order-api', { params: { id }, body: {} }),
  route: ({ ask }: RunningHistory, id: string) => ask('route-order-api', { params: { id }, body: {} }),
  'route-otherwise': ({ ask }: RunningHistory, id: string) =>
    ask('route-order-api', { params: { id }, body: { strategy: 'most-stock' as const } }),
};
type Request = keyof typeof requests;
const request = fc.constantFrom(...(Object.keys(requests) as Request[]));

/** Releases the reservations of an order, as a client may before Route Order. */
async function release({ ask }: RunningHistory, orderId: string): Promise<void> {
  const { body } = await ask('get-order-api', { params: { id: orderId } });
  const ids = new Set<string>((body?.lines ?? []).flatMap((line: { reservationId?: string }) => line.reservationId ?? []));
  for (const id of ids) await ask('release-reservation-api', { params: { id } });
}

/** The loser of two requests is refused with the order and, while the winner is in progress, with its action. */
function refuseVagueRefusal({ status, body }: Reply): void {
  if (status !== 409 || body?.code !== 'invalid_state_transition') return;
  const isClear = body.objectType === 'order' && (body.retryable ? body.pendingAction !== undefined : true);
  if (!isClear) throw new Error(`a refusal does not name the pending action of the order: ${JSON.stringify(body)}`);
}

/** Calls that arrive late, and two requests for one order. */
export const rivalry = {
  late: kind({ api: fc.constantFrom(...changing) }, (history, { api }) => delay(history, api)),
  rivals: kind(
    {
      of,
      first: request,
      second: request,
      api: fc.constantFrom(...callsOfOrders),
      sale: fc.constantFrom('none', 'routed', 'by-hand'),
      sku,
    },
    async (history, { of: which, first, second, api, sale, sku: sold }) => {
      const { things, play } = history;
      const compete = async (id: string): Promise<void> => {
        await delay(history, api);
        for (const reply of await Promise.all([requests[first](history, id), requests[second](history, id)])) refuseVagueRefusal(reply);
      };
      if (sale === 'none') return about(things.orders, which, compete);
      if (sale === 'by-hand') await play('PUT', 'progression', { route: 'manual' });
      const id = await draft(history, [{ sku: sold, qty: 1 }], {});
      if (id === undefined) return;
      if (sale === 'by-hand') {
        await history.ask('confirm-order-api', { params: { id } });
        await release(history, id);
      }
      await compete(id);
      if (sale === 'by-hand') await play('PUT', 'progression', { route: 'auto' });
    },
  ),
};
