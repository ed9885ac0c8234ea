import type { EstateClient } from '../rehearsal/estate-client.ts';
import type { Benchmark, Figure } from './benchmark.ts';
import { type Child, startEstate } from './child-process.ts';
import { openRehearsal, placeOrder, requireHolding } from './order-journey.ts';
import { compare, inTurn } from './rounds.ts';

const MANY = 1_000;
const FEW = 100;
const CLIENTS = 8;
/** Few rounds, because each places all the orders first. */
const MOST_ROUNDS = 2;
const PAGE = 1_000;

/** Advances the clock by a month with labelled parcels. The cost per parcel must not depend on the number of parcels. */
export const parcels: Benchmark = {
  name: 'parcels',
  title: `A clock advanced by 30 days over ${MANY} open parcels, against ${FEW}: per parcel a ratio of 1 is linear`,
  run: async (settings) => {
    await using estate = await startEstate({ profiles: settings.profiles });
    const rounds = Math.min(settings.rounds, MOST_ROUNDS);
    await monthOver(estate, FEW);
    const taken = await inTurn({ ...settings, rounds }, 'parcels', {
      ours: () => monthOver(estate, MANY),
      reference: () => monthOver(estate, FEW),
    });
    return [
      { what: 'time of the advance', unit: 's', ...compare(taken, ({ seconds }) => seconds) },
      { what: 'time per parcel', unit: 'ms', ...compare(taken, ({ seconds, count }) => (seconds * 1_000) / count) },
      // Rounds are minutes apart, and the load of the machine changes between them, so CPU time is more reliable than wall time.
      { what: 'CPU per parcel', unit: 'ms', ...compare(taken, ({ cpuMs, count }) => cpuMs / count), aim: { of: 'ratio', atMost: 1.25 } },
      { what: 'due work', unit: 'items', ...compare(taken, ({ ran }) => ran) },
      { what: 'due work', unit: 'items/s', ...compare(taken, ({ ran, seconds }) => ran / seconds) },
      { what: 'events', unit: '/s', ...compare(taken, ({ events, seconds }) => events / seconds) },
    ] satisfies readonly Figure[];
  },
};

interface MonthRound {
  readonly count: number;
  readonly seconds: number;
  readonly cpuMs: number;
  readonly ran: number;
  readonly events: number;
}

async function monthOver(estate: Child, count: number): Promise<MonthRound> {
  await using own = await openRehearsal(estate.address('gateway'));
  const { client } = own;
  await dispatchParcels(client, count);
  const events = await eventsOf(client, 0);
  const before = await estate.usage();
  const started = performance.now();
  const { ran, settled, waitingFor } = await client.control('advance-clock', { body: { by: 'P30D', timeoutMs: 120_000 } });
  const seconds = (performance.now() - started) / 1_000;
  const cpuMs = ((await estate.usage()).cpuMicros - before.cpuMicros) / 1_000;
  if (!settled) throw new Error(`The advance did not settle: ${waitingFor.slice(0, 5).join(', ')}`);
  const delivered = ran.filter(({ kind }) => kind === 'planned-scan').length / SCANS;
  if (delivered !== count) throw new Error(`${delivered} of ${count} parcels were delivered.`);
  const added = (await eventsOf(client, events)) - events;
  await requireHolding(own);
  return { count, seconds, cpuMs, ran: ran.length, events: added };
}

/** Planned scans of a parcel from the label to the door. */
const SCANS = 4;

/** Orders that the automatic warehouse has handed over. Their parcels have labels and wait for the clock. */
async function dispatchParcels(client: EstateClient, count: number): Promise<void> {
  await client.control('set-progression', { body: { warehouse: 'immediate' } });
  let left = count;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await placeOrder(client);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, lane));
  const { settled, waitingFor } = await client.control('settle', { body: { timeoutMs: 120_000 } });
  if (!settled) throw new Error(`The parcels were not handed over: ${waitingFor.slice(0, 5).join(', ')}`);
}

async function eventsOf(client: EstateClient, from: number): Promise<number> {
  for (let after = from; ; ) {
    const { items, next } = await client.control('list-events', { query: { ext: 'true', after, limit: PAGE } });
    if (items.length < PAGE) return next;
    after = next;
  }
}
