import type { z } from 'zod';
import { BOOKS, type BookEntry as BookEntrySchema } from '../../shared/catalog/control/operations/verification.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { lostIn, withdrawnBy } from '../../shared/catalog/payment/cover.ts';
import { owedAfterFailures } from '../../shared/catalog/payment/refunds.ts';
import { DEFAULT_FIGURES, figuresOf, type Retailer } from '../../shared/catalog/retailer.ts';
import { type Breathe, breathing, type Steps, sortedBreathing, stepsBreathing } from '../../shared/domain/breathe.ts';
import { inCoins } from '../../shared/domain/money.ts';
import type { World } from '../../shared/domain/world.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { carriesEvent } from '../../shared/store/ports/due-work.ts';
import type { StoredEvent } from '../../shared/store/ports/objects.ts';
import type { ApplicationDump, ExportedWorld, WorldData } from '../../shared/store/ports/world-data.ts';
import { addToGroup } from '../verify/invariant.ts';
import type { Account, Payment } from '../verify/stored-records.ts';
import type { EstateObjects, WorldReader } from '../verify/world-records.ts';

export type BookEntry = z.output<typeof BookEntrySchema>;
type Book = BookEntry['book'];

/** What the books of a world are made of. */
export interface BookedWorld {
  readonly applications: WorldData['applications'];
  readonly due: readonly { readonly application: string; readonly kind: string }[];
  /** Published events. */
  readonly events: readonly { readonly json: string }[];
  /** Number of parked work. */
  readonly parked: number;
}

/** Events per read. */
const CHUNK = 1_000;

/** Reads what the books of a world are made of. A store in memory answers in the same turn, so the reading pauses between its parts. */
export async function bookedWorld(worlds: WorldReader, world: World, breathe: Breathe): Promise<BookedWorld> {
  const { applications, due } = await worlds.data(world);
  await breathe();
  const { counts } = await worlds.ledger(world, 1);
  const events: StoredEvent[] = [];
  for (;;) {
    await breathe();
    const chunk = await worlds.events(world, events.length, CHUNK);
    events.push(...chunk);
    if (chunk.length < CHUNK) return { applications, due, events, parked: counts.parked };
  }
}

/** What the books of a kept world are made of. */
export const bookedSnapshot = ({ applications, due, events, parked }: ExportedWorld): BookedWorld => ({
  applications,
  due,
  events,
  parked: parked.length,
});

export interface Books {
  /** The currency of the amounts. */
  readonly currency: string;
  /** By book, then by name. */
  readonly entries: readonly BookEntry[];
}

/** The business end of a world, as numbers: what remains when ids, times and the way there are left out. Entries of zero are left out. */
export async function booksOf(world: BookedWorld, objects: EstateObjects, breathe: Breathe): Promise<Books> {
  const sums = new Map<string, BookEntry>();
  const add = (book: Book, entry: string, value: number): void => {
    const key = `${book} ${entry}`;
    sums.set(key, { book, entry, value: (sums.get(key)?.value ?? 0) + value });
  };
  const payments: Payment[] = [];
  for (const [type, { application, collection }] of Object.entries(objects)) {
    for await (const { json } of breathing(world.applications[application]?.objects[collection] ?? [], breathe)) {
      const object = JSON.parse(json) as { readonly state?: string };
      add('objects', object.state === undefined ? type : `${type} ${object.state}`, 1);
      if (type === 'payment') payments.push(object as Payment);
      if (type === 'loyalty-account') add('points', (object as Account).id, (object as Account).pointsBalance);
    }
  }
  const [retailer] = world.applications['oms']?.objects['retailer'] ?? [];
  const { currency, cashRounding } = retailer ? figuresOf(JSON.parse(retailer.json) as Retailer) : DEFAULT_FIGURES;
  await addMoney(payments, cashRounding, add, breathe);
  await addStock(world.applications['inventory-service']?.counters ?? {}, add, breathe);
  for await (const { application, kind } of breathing(world.due, breathe)) {
    if (!carriesEvent(kind)) add('work', `${application} ${kind}`, 1);
  }
  add('work', 'parked', world.parked);
  for await (const { json } of breathing(world.events, breathe)) add('events', nameOf((JSON.parse(json) as EstateEvent).type), 1);
  const entries: BookEntry[] = [];
  for await (const entry of breathing(sums.values(), breathe)) if (entry.value !== 0) entries.push(entry);
  return { currency, entries: await sortedBreathing(entries, byBookAndName, breathe) };
}

function byBookAndName(one: BookEntry, other: BookEntry): number {
  if (one.book !== other.book) return BOOKS.indexOf(one.book) - BOOKS.indexOf(other.book);
  return one.entry === other.entry ? 0 : one.entry < other.entry ? -1 : 1;
}

type Add = (book: Book, entry: string, value: number) => void;

/** @param coin the smallest coin, in minor units */
async function addMoney(payments: readonly Payment[], coin: number, add: Add, breathe: Breathe): Promise<void> {
  const ofOrders = new Map<string, Payment[]>();
  for await (const payment of breathing(payments, breathe)) {
    const { orderId, state, tender, authorizedAmount, capturedAmount, refundedAmount, disputes } = payment;
    if (state === 'authorised') add('money', 'authorised', authorizedAmount.amount);
    add('money', 'captured', capturedAmount.amount);
    add('money', 'refunded', refundedAmount.amount);
    if (tender.type === 'cash')
      add('money', 'cash rounding', roundingOf(capturedAmount.amount, coin) - roundingOf(refundedAmount.amount, coin));
    const lost = lostIn(disputes);
    add('money', 'lost in disputes', lost);
    add('money', 'in dispute', withdrawnBy(disputes) - lost);
    addToGroup(ofOrders, orderId, payment);
  }
  for await (const ofOrder of breathing(ofOrders.values(), breathe)) add('money', 'failed refunds', owedAfterFailures(ofOrder));
}

/** What the drawer of a till gets in coins beyond an amount. */
const roundingOf = (amount: number, coin: number): number => inCoins(amount, coin) - amount;

type Counters = ApplicationDump['counters'];

/** Over all locations. */
async function addStock({ stock = {}, 'units-moved': moved = {} }: Counters, add: Add, breathe: Breathe): Promise<void> {
  for await (const key of breathing(Object.keys(stock), breathe)) {
    const { onHand = 0, reserved = 0 } = stock[key] ?? {};
    add('stock', `${skuOf(key)} on hand`, onHand);
    add('stock', `${skuOf(key)} reserved`, reserved);
  }
  // Units that a location sends to a store are in no stock until the store receives them.
  for await (const key of breathing(Object.keys(moved), breathe)) {
    const { sent = 0, received = 0 } = moved[key] ?? {};
    add('stock', `${skuOf(key)} on the way to a store`, sent - received);
  }
}

/** The SKU of a counter of a SKU and a location. */
const skuOf = (key: string): string => key.slice(0, key.lastIndexOf('|'));

interface BookChange {
  readonly book: Book;
  readonly entry: string;
  readonly from: number;
  readonly to: number;
}

/** The entries that differ between two books. */
export const comparedBooks = (from: Books, to: Books, breathe: Breathe): Promise<BookChange[]> =>
  stepsBreathing(changesIn(from.entries, to.entries), breathe);

/** Both lists are sorted, so one walk finds equal entries. */
function* changesIn(before: readonly BookEntry[], after: readonly BookEntry[]): Steps<BookChange[]> {
  const changes: BookChange[] = [];
  for (let [old, fresh] = [0, 0]; ; ) {
    const [one, other] = [before[old], after[fresh]];
    const place = one && other ? byBookAndName(one, other) : one ? -1 : 1;
    const [from, to] = [place <= 0 ? one : undefined, place >= 0 ? other : undefined];
    const shown = from ?? to;
    if (!shown) return changes;
    const change = { from: from?.value ?? 0, to: to?.value ?? 0 };
    if (change.from !== change.to) changes.push({ book: shown.book, entry: shown.entry, ...change });
    if (from) old += 1;
    if (to) fresh += 1;
    yield;
  }
}
