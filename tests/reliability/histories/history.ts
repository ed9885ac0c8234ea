import fc from 'fast-check';
import { DEFAULT_PROGRESSION } from '../../../shared/catalog/control/progression.ts';
import { estate, newRehearsal, type TestRehearsal } from '../../support/estate.ts';
import { openRehearsal } from '../../support/open-rehearsal.ts';
import { withSteps } from '../../support/steps/rehearsal-at.ts';
import { collecting } from './collecting.ts';
import { elsewhere } from './elsewhere.ts';
import { fulfilment } from './fulfillment.ts';
import { naming } from './naming.ts';
import { people } from './people.ts';
import { replacing } from './replacing.ts';
import { returning } from './returning.ts';
import { rivalry } from './rivalry.ts';
import { begin, type RunningHistory } from './running-history.ts';
import { selling } from './selling.ts';
import { stock } from './stock.ts';
import { till } from './till.ts';
import { trouble } from './trouble.ts';

const kinds = {
  ...selling,
  ...till,
  ...fulfilment,
  ...collecting,
  ...replacing,
  ...returning,
  ...people,
  ...naming,
  ...elsewhere,
  ...stock,
  ...trouble,
  ...rivalry,
};
type Name = keyof typeof kinds;

/**
 * A history is plain data: acts in sequence, some of them concurrent, each about one of the objects that exist
 * (`of`). A counterexample can therefore be pasted into a named test as it was printed.
 */
export interface Act {
  readonly do: Name;
  /** Every request is sent twice concurrently, with one idempotency key. */
  readonly twice?: boolean;
  readonly [given: string]: unknown;
}

export type History = readonly (readonly Act[])[];

/** Acts with their weights, as in `basket 6, checkout 7`. */
function weights(text: string): Readonly<Partial<Record<Name, number>>> {
  const entries = text
    .trim()
    .split(/,\s+/)
    .map((entry) => entry.split(' '));
  const unknown = entries.find(([name = '']) => !(name in kinds));
  if (unknown) throw new Error(`There is no act ${unknown[0]}.`);
  return Object.fromEntries(entries.map(([name, weight]) => [name, Number(weight)]));
}

/** Weights of the acts, by the main subject of a history; acts without a weight are rare. */
const frequencies = {
  'orders and parcels': weights(`
    basket 6, change-line 4, checkout 7, order 6, authorise 8, confirm 8, sell 16, change 12, ship 16, pick 6, picking 12, dispatch 7, scan 5, webhook 14, advance 5,
    fault 3, event-fault 2, webhook-fault 2, label 4, track 3, confirm-hold 4, release-hold 4, line 6, name-order 4, name-payment 3, list-orders 1, import 8, note-refund 3, refund-elsewhere 3, reserve-basket 5, reserve-order 2,
    allocate-order 5, dispute 4, decide-dispute 3, rivals 12, late 4`),
  'the till': weights(`
    ring 14, pay 40, void-sale 7, submit-sale 5, sell-there 12, ring-basket 5, basket 3, cancel 2, confirm 2, redeem-at-crm 5, issue 3,
    capture 2, void 3, refund 2, advance 7, fault 6, mend 2, event-fault 2, announce-return 3, late 6`),
  'returns and exchanges': weights(`
    sell-there 14, sell 6, ship 8, announce-return 12, move-return 24, bring-back 14, refund-return 10, exchange 14, import 5, note-refund 4, refund-elsewhere 2, cancel 3, confirm 4,
    return-while-undecided 10, refund 6, dispute 5, decide-dispute 4, scan 5, webhook 2, progress 4, advance 7, fault 5, mend 2, event-fault 3, webhook-fault 2, late 4`),
  'click and collect': weights(`
    collect 16, collect-from-warehouse 12, put-out 16, pay-at-counter 14, hand-over 16, pay 4, void-sale 4, change-place 8, change 8, extend 8, points 2, basket 4, order 3, authorise 4, confirm 4, cancel 6, advance 10, ship 3, pick 3, lose-and-replace 4,
    picking 6, dispatch 4, scan 3, webhook 3, announce-return 4, move-return 3, release-hold 3, confirm-hold 2, refund 3, progress 3, fault 4, mend 2, event-fault 3,
    rivals 6, late 4`),
  replacements: weights(`
    buy-and-replace 24, sell-there 8, ship 18, replace 24, replace-and-take-back 12, lose-and-replace 12, picking 6, dispatch 5, scan 10, webhook 4, announce-return 6, move-return 6, bring-back 6,
    refund 4, cancel 4, advance 10, progress 3, collect 4, put-out 4, hand-over 4, fault 4, mend 2, event-fault 3, rivals 3, late 4`),
  'everything together': weights(`
    buy-and-replace 4, replace 6, replace-and-take-back 3, lose-and-replace 3, collect 5, collect-from-warehouse 4, put-out 5, pay-at-counter 4, hand-over 5, sell 8, ship 8, sell-there 8, return-while-undecided 4, bring-back 5, move-return 4, exchange 4, register 3, enrol 3, change 5, advance 5, fault 3, event-fault 3, progress 3,
    redeem-at-crm 3, redeem 3, earn 2, reserve 2, pay 3, ring 2, label 3, track 3, rivals 4, late 4, name-basket 4, name-order 4, name-payment 4, name-return 4, name-customer 4, list-orders 2, import 8, note-refund 4, refund-elsewhere 4`),
};

export type Subject = keyof typeof frequencies;

/** The first acts of a history, so that later acts have objects. */
const openings = {
  'orders and parcels': ['sell'],
  'the till': ['ring', 'redeem-at-crm'],
  'returns and exchanges': ['sell-there', 'sell', 'return-while-undecided'],
  'click and collect': ['collect', 'collect-from-warehouse', 'change-place'],
  replacements: ['buy-and-replace', 'buy-and-replace', 'sell-there'],
  'everything together': ['sell', 'sell-there', 'register', 'basket'],
} as const satisfies Readonly<Record<Subject, readonly Name[]>>;

const arbitraryOf = (name: Name): fc.Arbitrary<Act> =>
  fc.record({ do: fc.constant(name), twice: fc.constantFrom(false, false, false, false, false, true), ...kinds[name].given });

export function historiesOf(subject: Subject): fc.Arbitrary<History> {
  const often: Readonly<Partial<Record<Name, number>>> = frequencies[subject];
  const names = Object.keys(kinds) as Name[];
  const act = fc.oneof(...names.map((name) => ({ weight: often[name] ?? NOW_AND_THEN, arbitrary: arbitraryOf(name) })));
  const opening = fc.array(fc.oneof(...openings[subject].map(arbitraryOf)), { minLength: 1, maxLength: 3 });
  const rest = fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), { minLength: 7, maxLength: 24 });
  return fc.tuple(opening, rest).map(([first, others]) => [first, ...others]);
}
const NOW_AND_THEN = 2;

/** Acts about objects that orders have created, which must be looked up first. */
const ABOUT_FULFILMENT: ReadonlySet<Name> = new Set([
  'pick',
  'dispatch',
  'ship',
  'label',
  'track',
  'scan',
  'webhook',
  'put-out',
  'hand-over',
  'extend',
]);

/** Acts whose outcome depends on chance: a fault strikes one of several concurrent calls. */
const BY_CHANCE: ReadonlySet<Name> = new Set(['fault', 'event-fault', 'webhook-fault', 'late', 'rivals']);

/** The acts of a history one after the other, without those that depend on chance. */
const oneByOne = (acts: History): History =>
  acts.flatMap((concurrent) => concurrent.filter((act) => !BY_CHANCE.has(act.do)).map((act) => [{ ...act, twice: false }]));

/** Performs the acts of a history one after the other. Each request that changes something is run dry first, and both answers must agree. */
export async function tryHistory(acts: History): Promise<void> {
  await using rehearsal = await newRehearsal({ warehouse: 'manual' });
  await perform(begin(rehearsal, 'EUR', { dryFirst: true }), oneByOne(acts));
  await rehearsal.verify();
}

/**
 * Performs a history up to an act, keeps the rehearsal and opens it again. Both then perform the rest, one act after the other.
 * @param at the act, modulo their number @returns the answers of the original and of the copy
 */
export async function cutHistory(acts: History, at: number): Promise<readonly [original: unknown[], copy: unknown[]]> {
  await using original = await newRehearsal({ warehouse: 'manual' });
  const history = begin(original);
  const place = at % acts.length;
  await perform(history, acts.slice(0, place));
  await original.control('set-clock', { body: { flowing: false } });
  await original.control('save-snapshot', { params: { name: original.name } });
  await refuseMissingWork(original);
  await using copy = withSteps(await openRehearsal(estate.gateway, undefined, { from: { snapshot: original.name } }));
  await original.control('delete-snapshot', { params: { name: original.name } });
  const rest = oneByOne(acts.slice(place));
  const answersIn = async (rehearsal: TestRehearsal): Promise<unknown[]> => {
    const answers: unknown[] = [];
    await rehearsal.noFaults();
    await rehearsal.settle();
    const going = begin(rehearsal, 'EUR', { repeated: { things: structuredClone(history.things), answers } });
    if (history.isTroubled()) going.expectTrouble();
    for (const act of rest) {
      await perform(going, [act]);
      await rehearsal.settle();
    }
    await rehearsal.advance('P30D');
    await rehearsal.verify();
    return answers;
  };
  return [await answersIn(original), await answersIn(copy)];
}

/** Faults, withheld events and parked work excuse an invariant that does not hold in the middle. They never lose due work. */
async function refuseMissingWork({ control }: TestRehearsal): Promise<void> {
  const { invariants } = await control('verify');
  const missing = invariants.flatMap(({ violations }) => violations).filter((one) => one.endsWith(' is missing'));
  if (missing.length > 0) throw new Error(missing.join('\n'));
}

/** Performs acts, the inner ones concurrently. */
async function perform(history: RunningHistory, acts: History): Promise<void> {
  for (const concurrent of acts) {
    if (concurrent.some((act) => ABOUT_FULFILMENT.has(act.do))) await look(history);
    // An idempotency key lasts 24 hours of the rehearsal's clock, and advancing it may use them up between two requests.
    const keyLasts = !concurrent.some((act) => act.do === 'advance');
    const historyOf = (act: Act): RunningHistory => (act.twice && keyLasts ? history.twice : history);
    await Promise.all(concurrent.map((act) => kinds[act.do].perform(historyOf(act), act)));
  }
}

/** A retailer with its own figures and stock. */
export interface OwnRetailer {
  readonly figures: { readonly currency: string; readonly [figure: string]: unknown };
  readonly stock?: readonly { readonly sku: string; readonly onHand: Readonly<Record<string, number>> }[];
}

/** Performs a history in a new rehearsal, lets time complete open work, and checks the invariants. */
export async function runHistory(acts: History, own?: OwnRetailer): Promise<void> {
  // Half of the retailers have time to replace lost goods.
  const replaceLostWithin = acts.length % 2 === 0 ? 'P2D' : undefined;
  const data = own || replaceLostWithin ? { retailer: { ...own?.figures, replaceLostWithin }, stock: own?.stock } : undefined;
  await using rehearsal = await newRehearsal({ warehouse: 'manual' }, data);
  const history = begin(rehearsal, own?.figures.currency);
  await perform(history, acts);
  await rehearsal.noFaults();
  await look(history);
  await rehearsal.advance('P30D');
  await rehearsal.verify();
  await refuseParked(history);
  if (acts.length % 2 === 0) await letEverythingMove(history);
  await noteEnds(history);
}

/** Work left to a caller stays open. A parcel whose payment was voided or refunded stays open too. */
const FOR_A_CALLER =
  /: (a caller of (Route Order|Refund Payment|Note Refund Result)|the warehouse or a caller of Dispatch|the label of its parcel)/;

const orderIn = (waiting: string): string => waiting.split(':')[0] ?? '';

/** Switches from manual to automatic progression, so that time completes everything. */
async function letEverythingMove({ rehearsal, play, isTroubled }: RunningHistory): Promise<void> {
  await play('PUT', 'progression', DEFAULT_PROGRESSION);
  await rehearsal.advance('P60D');
  const { invariants } = await rehearsal.verify();
  const awaited = invariants.flatMap((one) => one.waiting ?? []);
  // The OMS renews the authorisation of an order that waits for a caller.
  const forACaller = new Set(awaited.filter((one) => FOR_A_CALLER.test(one)).map(orderIn));
  const waiting = awaited.filter((one) => !forACaller.has(orderIn(one)));
  if (waiting.length > 0 && !isTroubled()) throw new Error(`open although all progression is automatic: ${waiting.join('\n')}`);
}

/** Work may be parked after too many failures when applications were down; any other parked work is an error. */
async function refuseParked({ rehearsal, isTroubled }: RunningHistory): Promise<void> {
  const { parked } = await rehearsal.settle();
  const givenUp = parked.map(({ key, error }) => `${key} ${error}`);
  for (const one of givenUp) count(`parked ${one.replaceAll(/_[0-9A-Z]{26}/g, '_')}`);
  if (!isTroubled() && givenUp.length > 0) throw new Error(`parked: ${givenUp.join('\n')}`);
}

/** Counts the final states of all histories, which shows that they are not only refusals. */
export const ends = new Map<string, number>();

async function noteEnds({ rehearsal, things }: RunningHistory): Promise<void> {
  const { orders, fulfillmentOrders, returns, payments, parcels } = things;
  const created = { order: orders, 'fulfillment-order': fulfillmentOrders, return: returns, payment: payments, shipment: parcels };
  for (const [type, ids] of Object.entries(created)) {
    for (const id of ids) {
      const { body } = await rehearsal.call('GET', `/_control/objects/${type}/${id}`, undefined, { as: 'admin' });
      count(`${type} ${body?.state}`);
      if (body?.lines?.some((line: { nodes?: unknown }) => line.nodes)) count(`${type} split`);
    }
  }
}

const count = (end: string): void => void ends.set(end, (ends.get(end) ?? 0) + 1);

/** Finds the objects that orders have created: fulfillment orders, and the parcels of these and of returns. */
async function look({ ask, rehearsal, things }: RunningHistory): Promise<void> {
  const add = (list: string[], id: string): void => void (list.includes(id) || list.push(id));
  for (const id of things.orders) {
    if (things.over.has(id)) continue;
    const { body } = await ask('get-order-api', { params: { id } });
    // A completed order may get goods in place of others.
    if ((body?.state === 'completed' || body?.state === 'cancelled') && !body.replacements) things.over.add(id);
    for (const { id: fulfillmentOrderId, shipments } of body?.fulfillmentOrders ?? []) {
      add(things.fulfillmentOrders, fulfillmentOrderId);
      for (const parcel of shipments) add(things.parcels, parcel.id);
    }
  }
  for (const id of things.returns) for (const parcel of (await rehearsal.object('return', id)).shipments) add(things.parcels, parcel.id);
}
