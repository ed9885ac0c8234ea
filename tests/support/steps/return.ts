import type { ApiInput, OperationInput, OperationOutput } from '../../../rehearsal/call-types.ts';
import { signWebhook } from '../../../shared/control/webhook-signature.ts';
import type { OpenRehearsal } from '../open-rehearsal.ts';
import type { Line, OrderSteps } from './order.ts';
import type { ParcelSteps } from './parcel.ts';

type Verb = OperationInput<'move-return-by-hand'>['params']['verb'];

/** The store that takes returned goods. */
export const STORE = 'store-01';

/** Steps from delivered goods to their return. */
export function returnSteps(
  { api, call, control, object, settle, now, credentials, name }: OpenRehearsal,
  steps: OrderSteps & ParcelSteps,
) {
  /** Confirms, packs, dispatches and delivers an order. @returns the completed order */
  const completedOrder = async (orderId: string, sent: (parcel: string) => Promise<unknown> = async () => {}) => {
    await steps.confirmed(orderId);
    for (const { id } of await steps.routed(orderId)) {
      const parcel = await steps.dispatched(id);
      await sent(parcel);
      await steps.delivered(parcel);
    }
    return steps.order(orderId);
  };
  /** A completed order that a card paid. */
  const completed = async (lines: readonly Line[] = [{ sku: 'mug-blue', qty: 2 }], customerId = 'cus_ada') =>
    completedOrder((await steps.authorised({ lines, customerId })).id);
  /** Announces units of the first line: to a store by default, by parcel with a carrier. */
  const announced = (
    order: { id: string; lines: { lineId: string }[] },
    qty = 1,
    more: Partial<ApiInput<'create-return-api'>['body']> = {},
  ) =>
    api('create-return-api', {
      body: {
        orderId: order.id,
        lines: [{ orderLineId: order.lines[0]?.lineId ?? '', qty, reason: 'too small' }],
        ...(more.dropOff !== 'carrier' && { locationId: STORE }),
        ...more,
      },
    });
  /** Moves a return by hand. @returns the return */
  const moved = async (id: string, ...verbs: readonly Verb[]) => {
    let returned: OperationOutput<'move-return-by-hand'> | undefined;
    for (const verb of verbs) returned = await control('move-return-by-hand', { params: { id, verb } });
    await settle();
    return returned;
  };
  return {
    completedOrder,
    completed,
    /** Like `completed`, in a rehearsal without automatic labels. */
    completedWithLabel: async () => completedOrder((await steps.authorised()).id, (id) => api('generate-label-api', { params: { id } })),
    announced,
    returned: (id: string) => object('return', id),
    returnState: async (id: string): Promise<string> => (await object('return', id)).state,
    announce: (body: object, headers: Record<string, string> = {}) => call('create-return-api', { body, headers }),
    moved,
    /** A return whose goods are received and inspected. @returns its id */
    inspected: async (...[order, qty, more]: Parameters<typeof announced>) => {
      const { id } = await announced(order, qty, more);
      await moved(id, 'approve', 'receive', 'inspect');
      return id;
    },
    move: (id: string, verb: Verb, body: object = {}) => call('POST', `/_control/returns/${id}/${verb}`, body, { as: 'admin' }),
    /** Signs and sends a webhook as the carrier does. */
    webhook: async (id: string, data: object) => {
      const at = await now();
      const body = JSON.stringify({ type: 'shipment.tracking.updated', timestamp: new Date(at).toISOString(), data });
      const headers = { 'content-type': 'application/json', ...signWebhook(credentials.webhookSecret, { id, at, body }) };
      const { status } = await call('carrier-webhook', { query: { rehearsal: name }, body, headers });
      if (status !== 204) throw new Error(`The reply to webhook ${id} has status ${status}.`);
    },
  };
}
