import { control, type Output } from '../data/control.ts';
import { asRefusal } from '../data/refusal.ts';
import { historyOf } from './object-history.ts';

const MOST_EVENTS = 1_000;
export const MOST_TRACES = 20;

/** An object with the data of its page, or the reason why it cannot be shown. */
export type ReadObject =
  | { readonly kind: 'unknown-type' }
  | { readonly kind: 'unknown-object'; readonly newest: Output<'list-objects'>['items'] }
  | ({ readonly kind: 'object'; readonly types: Output<'list-object-types'>['items'] } & Awaited<ReturnType<typeof readAround>>);

/** @throws Refusal */
export async function readObject(type: string, id: string, signal: AbortSignal): Promise<ReadObject> {
  const { items: types } = await control('list-object-types', undefined, { signal });
  const ofType = types.find((one) => one.type === type);
  if (!ofType) return { kind: 'unknown-type' };
  const json = await control('read-object', { params: { type, id } }, { signal }).catch((error: unknown) => {
    if (asRefusal(error).status === 404) return undefined;
    throw error;
  });
  if (json !== undefined) return { kind: 'object', types, ...(await readAround({ type, id, owner: ofType.owner, json }, signal)) };
  const { items: newest } = await control('list-objects', { params: { type }, query: { limit: 20 } }, { signal });
  return { kind: 'unknown-object', newest };
}

interface Known {
  readonly type: string;
  readonly id: string;
  readonly owner: string;
  readonly json: Output<'read-object'>;
}

async function readAround({ type, id, owner, json }: Known, signal: AbortSignal) {
  const object = `${type}/${id}`;
  const isStock = type === 'inventory-item';
  const [cycles, events, traces, listed, topology, stock, related, explanation, names] = await Promise.all([
    control('list-life-cycles', undefined, { signal }),
    control('list-events', { query: { subject: object, ext: 'true', limit: MOST_EVENTS } }, { signal }),
    control('list-traces', { query: { object, limit: MOST_TRACES } }, { signal }),
    control('list-objects', { params: { type }, query: { q: id, limit: 20 } }, { signal }),
    control('read-topology', undefined, { signal }),
    isStock ? control('list-stock', { query: { sku: id, limit: 500 } }, { signal }) : { items: [] },
    control('list-related-objects', { params: { type, id } }, { signal }),
    control('explain-object', { params: { type, id } }, { signal }),
    control('list-names', undefined, { signal }),
  ]);
  const parts = partsOf(type, id, related.items).slice(0, MOST_PARTS);
  const partExplanations = await Promise.all(parts.map((one) => explanationOf(one, signal)));
  const own = listed.items.find((one) => one.id === id);
  const refersTo = own?.related ?? [];
  const shown = new Set([object, ...refersTo.map((one) => `${one.type}/${one.id}`)]);
  const together = traces.items.flatMap(({ objects }) => objects).map((one) => ({ ...one, key: `${one.type}/${one.id}` }));
  return {
    json,
    owner,
    label: own?.label,
    state: typeof json['state'] === 'string' ? json['state'] : undefined,
    refersTo,
    /** Changed in the same traces, without the object itself and what it refers to. */
    together: [...new Map(together.filter(({ key }) => !shown.has(key)).map((one) => [one.key, one])).values()],
    lifeCycle: cycles.items.find((one) => one.type === type),
    history: historyOf(events.items),
    traces: traces.items,
    stock: stock.items,
    related: related.items,
    pointWorth: related.pointWorth,
    applications: topology.applications,
    explanation,
    /** The explanations of its parts. A part that has ended in the meantime is left out. */
    partExplanations: partExplanations.filter((one) => one !== undefined),
    names,
  };
}

/** Objects whose possible actions stand on the page of another one: the next step of an order is often one of its parcel. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  order: ['payment', 'fulfillment-order', 'shipment', 'return'],
  'fulfillment-order': ['shipment'],
  return: ['shipment'],
};
/** Maximum number of parts that are explained. The actions of further parts are on their own pages. */
const MOST_PARTS = 12;

type Item = Output<'list-related-objects'>['items'][number];

/** The related objects that are parts of an object, by type. An exchange adds parts of another order, which are left out. */
export function partsOf(type: string, id: string, related: readonly Item[]): readonly Item[] {
  const isOf = ({ object }: Item): boolean => object['orderId'] === id;
  const isPart = (one: Item): boolean =>
    type !== 'order' ||
    isOf(one) ||
    related.some((other) => isOf(other) && (one.object['fulfillmentOrderId'] === other.id || one.object['returnId'] === other.id));
  return (PARTS[type] ?? []).flatMap((part) => related.filter((one) => one.type === part && isPart(one)));
}

const explanationOf = ({ type, id }: Item, signal: AbortSignal): Promise<Output<'explain-object'> | undefined> =>
  control('explain-object', { params: { type, id } }, { signal }).catch((error: unknown) => {
    if (asRefusal(error).status === 404) return undefined;
    throw error;
  });
