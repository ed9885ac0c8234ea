import { apis } from '../../shared/catalog/apis.ts';
import { applicationNames } from '../../shared/catalog/applications.ts';
import { type ApiDefinition, changesSomething } from '../../shared/catalog/define.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import type { LifeCycle } from '../../shared/catalog/life-cycle.ts';
import { objects } from '../../shared/catalog/objects.ts';
import type { TestRehearsal } from '../support/estate.ts';
import { collectionSteps } from '../support/steps/collection.ts';
import { payAtCounterSteps } from '../support/steps/pay-at-counter.ts';
import type { rehearsalAt } from '../support/steps/rehearsal-at.ts';
import { CASH } from '../support/steps/tender.ts';
import { type Prepare, requests, sendRequest } from './changing-requests.ts';
import { type Walk, walks } from './life-cycle-walks.ts';

export const changing = [...Object.values(apis), ...Object.values(internalCalls)].filter((api) =>
  changesSomething(api),
) as unknown as readonly ApiDefinition[];

const forClients: ReadonlySet<string> = new Set(
  Object.values(apis)
    .filter(({ auth }) => auth !== 'signature')
    .map(({ id }) => id),
);

type Open = (...given: Parameters<typeof rehearsalAt> extends [string, ...infer Rest] ? Rest : never) => Promise<TestRehearsal>;

/** A world and the objects that are asked for in it, by state. */
export interface PreparedWorld {
  readonly rehearsal: TestRehearsal;
  /** Of its objects. */
  readonly type?: string;
  /** The prefix of the objects' ids. */
  readonly prefix: string;
  readonly objects: readonly { readonly state: string; readonly id: string; readonly text: string }[];
  /** An id of each prefix. */
  readonly anyId: Readonly<Record<string, string>>;
}

/** A request that the journal of a world has. */
export interface Template {
  readonly path: string;
  readonly body: unknown;
  /** The world that it was made in. */
  readonly origin: PreparedWorld;
}

const PREFIXES = [...objects.flatMap(({ idPrefix = [] }) => idPrefix), 'pck', 'rdm'].join('|');
const ID = new RegExp(`\\b(${PREFIXES})_(?:[0-9A-HJKMNP-TV-Z]{26}|[a-z]+(?:-[a-z]+)*)`, 'g');
const prefixOf = (id: string): string => id.slice(0, 3);

const firstIds = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(ID)].map(([id]) => [prefixOf(id), id]).toReversed());

export const exportOf = async ({ control, name }: TestRehearsal) => {
  const { takenAt: _takenAt, digest: _digest, ...file } = await control('export-rehearsal', { params: { name } });
  return JSON.stringify(file);
};

/** A world that does not move, as it is now. */
async function prepared(rehearsal: TestRehearsal, given: Partial<PreparedWorld> = {}): Promise<PreparedWorld> {
  await rehearsal.control('set-clock', { body: { flowing: false } });
  await rehearsal.settle();
  return { rehearsal, prefix: '', objects: [], ...given, anyId: firstIds(await exportOf(rehearsal)) };
}

/** The states of a walk are reached from the last to the first: time must pass for the later ones, and ends some of the earlier ones. */
async function worldOfWalk(open: Open, [type, { states, lifeCycle }]: [string, Walk]): Promise<PreparedWorld> {
  const rehearsal = await open();
  await rehearsal.progress({ warehouse: 'manual' });
  const ids: string[] = [];
  for (const reach of Object.values(states).toReversed()) ids.push((await reach(rehearsal)).id);
  const found = await Promise.all(ids.map((id) => rehearsal.object(type, id)));
  const objects = found.map((object) => ({ state: object.state, id: object.id, text: JSON.stringify(object) }));
  refuseMissing(type, lifeCycle, objects);
  return prepared(rehearsal, { type, prefix: prefixOf(ids[0] ?? ''), objects });
}

function refuseMissing(type: string, { states }: LifeCycle, objects: PreparedWorld['objects']): void {
  const missing = states.filter((state) => !objects.some((object) => object.state === state));
  if (missing.length > 0) throw new Error(`The world has no ${type} in the states ${missing.join(', ')}.`);
}

const AUTOMATIC = { label: 'auto', route: 'auto', carrier: 'time' } as const;

/** The outside world makes the calls that no application makes. */
async function playOutside(rehearsal: TestRehearsal): Promise<void> {
  const { api, control } = rehearsal;
  const { id: orderId } = await rehearsal.authorised({ voucherCodes: ['WELCOME10'] });
  await rehearsal.confirmed(orderId);
  const payment = await rehearsal.authorisation((await rehearsal.draft()).id);
  const params = { id: payment.id };
  await api('capture-payment-api', { params });
  await control('open-dispute', { params, body: { reason: 'general' } });
  await control('close-dispute', { params, body: { outcome: 'won' } });
  const waiting = await rehearsal.authorisation((await rehearsal.draft()).id, undefined, 'tok_3ds');
  await control('complete-payment-action-by-hand', { params: { id: waiting.id }, body: { outcome: 'succeeded' } });
  await rehearsal.progress({ carrier: 'manual', warehouse: 'manual', store: 'manual' });
  const { orderId: unpaid } = await payAtCounterSteps(rehearsal).unpaidAtCounter();
  await payAtCounterSteps(rehearsal).openTill(unpaid);
  await rehearsal.pay(unpaid, CASH, 2_598);
  const { shipmentId } = await rehearsal.dispatchedOrder();
  await rehearsal.scanned(shipmentId, 'collect');
  await control('resend-scan', { params: { id: shipmentId } });
  for (const verb of ['suspend', 'resume'] as const) await control('move-product-by-hand', { params: { id: 'prd_mug-blue', verb } });
  await control('change-product-by-hand', { params: { id: 'prd_mug-blue' }, body: { brand: 'Another' } });
  for (const verb of ['block', 'unblock'] as const) await control('move-customer-by-hand', { params: { id: 'cus_ada', verb } });
  await control('change-customer-by-hand', { params: { id: 'cus_ada' }, body: { lastName: 'Another' } });
  await control('count-stock-by-hand', { params: { sku: 'mug-blue', locationId: 'dc-01' }, body: { onHand: 40 } });
  await control('change-promotion-by-hand', { params: { id: 'prm_members-5' }, body: { name: 'Sale' } });
  await control('change-voucher-by-hand', { params: { id: 'VIP' }, body: { enabled: false } });
  await control('change-gift-card-by-hand', { params: { id: 'gift_5' }, body: { balance: { amount: 700 } } });
  await control('change-payment-token-by-hand', { params: { id: 'tok_mine' }, body: { outcome: 'decline', declineCode: 'lost_card' } });
}

/** Every public API has succeeded in this world. A fault of each application waits for a call. */
async function worldOfRequests(open: Open): Promise<PreparedWorld> {
  const rehearsal = await open();
  await playOutside(rehearsal);
  for (const [id, prepare] of Object.entries(requests) as [string, Prepare][]) {
    const { status, body } = await sendRequest(rehearsal, id, await prepare(rehearsal));
    if (status >= 300) throw new Error(`${id}: ${status} ${JSON.stringify(body)}`);
    await rehearsal.progress(AUTOMATIC);
  }
  for (const application of applicationNames)
    await rehearsal.fault(application, { match: { application }, fault: { kind: 'outage' }, times: 1 });
  return prepared(rehearsal);
}

/** Goods that were lost on their way to a store are given up when nobody has replaced them in time. */
async function worldOfLostGoods(open: Open): Promise<PreparedWorld> {
  const by = { warehouse: 'manual', store: 'manual', carrier: 'manual' } as const;
  const rehearsal = await open(by, { retailer: { replaceLostWithin: 'P2D' } });
  const { toCollect, ready, fulfilment } = collectionSteps(rehearsal);
  const { fulfillmentOrderId } = await toCollect({ locationId: 'store-01' }, [{ sku: 'desk-two-nodes', qty: 2 }]);
  await ready(fulfillmentOrderId);
  await rehearsal.settle();
  const { shipments } = await fulfilment(fulfillmentOrderId);
  await rehearsal.scanned(shipments[0]?.id ?? '', 'collect', 'lose');
  await rehearsal.advance('P2D');
  return prepared(rehearsal);
}

/** A world of every state of each type of object, a world of every public API, and a world of lost goods. */
export async function preparedWorlds(open: Open) {
  const ofWalks = Object.entries(walks).map((walk) => worldOfWalk(open, walk));
  const worlds = await Promise.all([...ofWalks, worldOfRequests(open), worldOfLostGoods(open)]);
  const templates = new Map<string, Map<string, Template>>();
  for (const origin of worlds) {
    const { items } = await origin.rehearsal.control('read-journal', { query: { limit: 5_000 } });
    // Clients and applications send different bodies to one API.
    const isOwn = ({ api, parentId }: (typeof items)[number]): boolean => parentId === undefined || !forClients.has(api);
    for (const hop of items.filter(({ status }) => status < 300)) {
      if (!isOwn(hop)) continue;
      if (!templates.has(hop.api)) templates.set(hop.api, new Map());
      templates.get(hop.api)?.set(formOf(hop), { path: hop.path, body: hop.request, origin });
    }
  }
  return { worlds, templates: new Map([...templates].map(([api, ofApi]) => [api, [...ofApi.values()]])) };
}

/** Requests of one form name objects of the same types, and make the same choices among words, such as verbs. */
function formOf({ path, request }: { readonly path: string; readonly request?: unknown }): string {
  const words = Object.entries(request ?? {}).filter(([, value]) => /^[a-z]+(?:-[a-z]+)*$/.test(String(value)));
  return JSON.stringify([[...prefixesIn(JSON.stringify([path, request]))].toSorted(), words]);
}

const prefixesIn = (text: string): ReadonlySet<string> => new Set([...text.matchAll(ID)].map(([id]) => prefixOf(id)));

interface Sent {
  readonly world: PreparedWorld;
  /** The object in the place of another one. */
  readonly about?: { readonly type: string | undefined; readonly state: string };
  readonly path: string;
  readonly body: unknown;
}

/** The request of a template as it was, and about each object of the other worlds in its place. */
export function variantsOf({ path, body, origin }: Template, worlds: readonly PreparedWorld[]): Sent[] {
  const text = JSON.stringify({ path, body });
  const prefixes = prefixesIn(text);
  const named = worlds.filter(({ prefix }) => prefixes.has(prefix) || (prefix === 'ful' && prefixes.has('pck')));
  const others = named.flatMap((world) =>
    world.objects.map((object) => {
      // A picking order has the id of its fulfillment order, with another prefix.
      const picking: Readonly<Record<string, string>> = world.prefix === 'ful' ? { pck: object.id.replace('ful_', 'pck_') } : {};
      const ids = { ...world.anyId, ...firstIds(object.text), [world.prefix]: object.id, ...picking };
      return {
        world,
        about: { type: world.type, state: object.state },
        ...JSON.parse(text.replaceAll(ID, (id) => ids[prefixOf(id)] ?? id)),
      };
    }),
  );
  return [{ world: origin, path, body }, ...others];
}
