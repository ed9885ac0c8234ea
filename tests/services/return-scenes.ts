import type { ProgressionInput } from '../../shared/simulation/progression.ts';
import { fulfilling, type Line } from './oms-fulfilment-scenes.ts';

type ReturnVerb = 'approve' | 'reject' | 'receive' | 'inspect';

/** Amounts as tests write them: cents, in the currency of the fixtures. */
export const euros = (amount: number) => ({ amount, currency: 'EUR' });

/** Goods that reached their customer, and their way back, worked by hand unless a test says otherwise. */
export async function returning(progression: ProgressionInput = {}) {
  const scene = await fulfilling({ returns: 'manual', ...progression });
  const { rehearsal } = scene;
  /** Picked, sent and delivered. @returns the completed order */
  const deliveredOrder = async (orderId: string) => {
    await rehearsal.ok('POST', `/orders/${orderId}/confirm`);
    for (const { id } of await scene.routed(orderId)) await scene.delivered(await scene.sent(id));
    return scene.order(orderId);
  };
  /** A completed order that a card paid. */
  const completed = async (lines: readonly Line[] = [{ sku: 'mug-blue', qty: 2 }], customerId?: string) => {
    const { id } = await scene.draftOf(lines, customerId);
    await scene.authorise(id);
    return deliveredOrder(id);
  };
  const ask = (body: object, headers: Record<string, string> = {}) => rehearsal.call('POST', '/returns', body, { headers });
  /** Announces that units of the order's first line come back. */
  const requested = (order: { id: string; lines: { lineId: string }[] }, qty = 1, more: object = {}) =>
    rehearsal.ok('POST', '/returns', {
      orderId: order.id,
      lines: [{ orderLineId: order.lines[0]?.lineId, qty, reason: 'too small' }],
      ...more,
    });
  const move = (id: string, verb: ReturnVerb, body: object = {}) =>
    rehearsal.call('POST', `/_sim/returns/${id}/${verb}`, body, { as: 'admin' });
  /** As `move`, for steps that must succeed. */
  const moved = async (id: string, ...verbs: ReturnVerb[]) => {
    let body: { state: string } | undefined;
    for (const verb of verbs) {
      const reply = await move(id, verb);
      if (reply.status >= 300) throw new Error(`${verb}: ${reply.status} ${JSON.stringify(reply.body)}`);
      body = reply.body;
    }
    await rehearsal.settle();
    return body;
  };
  const object = (id: string) => rehearsal.object('return', id);
  /** On hand of a SKU at a location. */
  const onHand = async (sku: string, locationId: string): Promise<number> => {
    const { locations } = await rehearsal.ok('GET', `/inventory/items/${sku}`);
    return locations.find((level: { locationId: string }) => level.locationId === locationId).onHand;
  };
  /** Names of a return's events, with the states before and after. */
  const eventsOf = async (id: string) => {
    const events = await rehearsal.events({ subject: `return/${id}`, ext: true });
    return events.map(({ type, data }) => [type.replace('com.unified-commerce.', ''), data.previousState, data.object.state]);
  };
  return {
    ...scene,
    ...{ deliveredOrder, completed, ask, requested, move, moved, object, onHand, eventsOf },
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

export type ReturnScene = Awaited<ReturnType<typeof returning>>;
