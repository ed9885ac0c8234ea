import { randomUUID } from 'node:crypto';
import { customers } from '../../services/crm/collections.ts';
import { baskets } from '../../services/ecommerce-platform/collections.ts';
import { orders } from '../../services/oms/collections.ts';
import { payments } from '../../services/payment-hub/collections.ts';
import type { Application } from '../../shared/catalog/applications.ts';
import type { World } from '../../shared/domain/world.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { type AnyCollection, indexValues, type Stored } from '../../shared/store/collections.ts';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import type { JournalEntry } from '../../shared/store/ports/journal.ts';
import type { Plan } from '../../shared/store/ports/plan.ts';

/** Number of objects to add to a world. */
export interface Growth {
  /** Copies of each kind: customers, orders, baskets and payments. */
  readonly objects: number;
  readonly events: number;
  readonly hops: number;
}

/** Objects per commit. */
const PIECE = 100;

type Copied = Readonly<Record<string, unknown>> & Stored;

const named = (prefix: string, n: number): string => `${prefix}_GROWN${String(n).padStart(6, '0')}`;

/** The objects to copy, and the members that differ between copies. All orders belong to one customer, as in a sandbox with one test client. */
const KINDS: readonly {
  readonly application: Application;
  readonly of: AnyCollection;
  readonly copy: (sample: Copied, n: number) => Copied;
}[] = [
  {
    application: 'crm',
    of: customers,
    copy: ({ phone: _phone, loyaltyAccountId: _account, ...sample }, n) => ({
      ...sample,
      id: named('cus', n),
      firstName: 'Grown',
      lastName: String(n),
      email: `grown-${n}@people.example`,
    }),
  },
  { application: 'oms', of: orders, copy: (sample, n) => ({ ...sample, id: named('ord', n), basketId: named('bsk', n) }) },
  { application: 'ecommerce-platform', of: baskets, copy: (sample, n) => ({ ...sample, id: named('bsk', n) }) },
  { application: 'payment-hub', of: payments, copy: (sample, n) => ({ ...sample, id: named('pay', n), orderId: named('ord', n) }) },
];

/**
 * Fills a world with copies of a placed order and its related objects. It writes to the store directly, because calls of the applications
 * would take too long.
 * @param first the number of the first copy, so that a world can be filled again
 */
export async function growWorld(adapter: StoreAdapter, world: World, { objects, events, hops }: Growth, first = 1): Promise<void> {
  for (const kind of KINDS) await copyObjects(adapter, world, { ...kind, count: objects, first });
  await copyEvents(adapter, world, events, first);
  for (let n = first; n < first + hops; n++) adapter.control.journal(world, aHop(n));
}

interface Copying {
  readonly application: Application;
  readonly of: AnyCollection;
  readonly copy: (sample: Copied, n: number) => Copied;
  readonly count: number;
  readonly first: number;
}

async function copyObjects(adapter: StoreAdapter, world: World, { application, of, copy, count, first }: Copying): Promise<void> {
  const [found] = await adapter.worlds.all(world, application, of.name, { after: 0, limit: 1 });
  if (!found) throw new Error(`There is nothing among the ${of.name} of ${application} to be copied: place an order first.`);
  const sample = JSON.parse(found.json) as Copied;
  for (let from = first; from < first + count; from += PIECE) {
    const copies = Array.from({ length: Math.min(PIECE, first + count - from) }, (_, n) => ({ ...copy(sample, from + n), version: 1 }));
    const put = copies.map((one) => ({ collection: of.name, id: one.id, read: 0, version: 1, json: JSON.stringify(one) }));
    const index = copies.flatMap((one) =>
      Object.entries(of.index).flatMap(([name, values]) =>
        indexValues(values(one)).map((value) => ({ collection: of.name, name, id: one.id, value, was: null })),
      ),
    );
    await commit(adapter, world, application, { put, index });
  }
}

async function copyEvents(adapter: StoreAdapter, world: World, count: number, first: number): Promise<void> {
  const samples = await adapter.worlds.events(world, 0, PIECE);
  if (samples.length === 0) throw new Error('There are no events to be copied: place an order first.');
  const store = adapter.store('oms');
  const relay = randomUUID();
  for (let from = first; from < first + count; from += PIECE) {
    const events = Array.from({ length: Math.min(PIECE, first + count - from) }, (_, place) => {
      const n = from + place;
      const { topic, key, json } = samples[n % samples.length] ?? { topic: '', key: '', json: '{}' };
      const id = named('evt', n);
      const event = { ...(JSON.parse(json) as EstateEvent), id, subject: `order/${named('ord', n)}`, correlationid: `grown-${n}` };
      return { id, topic, key, json: JSON.stringify(event), subscribers: [] };
    });
    await commit(adapter, world, 'oms', { events });
    for (let batch = await store.drain(world, { token: relay }); batch; ) {
      batch = await store.drain(world, { token: relay, sent: batch.entries.map(({ id }) => id) });
    }
  }
}

async function commit(adapter: StoreAdapter, world: World, application: Application, parts: Partial<Plan>): Promise<void> {
  const empty = { expect: [], put: [], unique: [], index: [], move: [], guard: [], events: [], due: [] };
  const done = await adapter.store(application).commit(world, { ...empty, operation: randomUUID(), last: true, now: Date.now(), ...parts });
  if (!done.ok) throw new Error(`A world could not be filled: ${done.why} ${done.at}`);
}

function aHop(n: number): JournalEntry {
  const ids = { requestId: named('req', n), correlationId: `grown-${n}` };
  const shown = { application: 'oms', api: 'get-order-api', method: 'GET', path: `/orders/${named('ord', n)}`, status: 200, durationMs: 1 };
  const facts = { ...shown, kind: 'request', startedAt: Date.now(), at: Date.now(), faults: [] } as const;
  return { ...ids, head: JSON.stringify({ ...ids, ...shown, calls: [], faults: [] }), facts };
}
