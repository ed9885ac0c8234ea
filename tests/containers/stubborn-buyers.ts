import { eventually } from '../support/eventually.ts';
import { openRehearsal } from '../support/open-rehearsal.ts';
import { type Insisting, insisting } from '../support/steps/insisting.ts';
import { allocated, changeUnits, collectAndReplace, importOrder, putOut } from '../support/steps/journeys.ts';

/** How long a buyer repeats a failing request, in wall time. */
const PATIENCE_MS = 120_000;
/** How long the estate may take to settle, in wall time. */
const REST_MS = 60_000;
/** The same for twelve days with hundreds of orders on a slow machine. */
const MOST_REST_MS = 5 * REST_MS;
const TWELVE_DAYS_MS = 12 * 86_400_000;

/** A rehearsal whose calls repeat a request, with the same Idempotency-Key, until the reply is definite. */
export const stubbornRehearsal = async (gateway: string): Promise<Insisting> => insisting(await openRehearsal(gateway), PATIENCE_MS);

/** An order from the basket until it has left the warehouse. @returns its id */
export const buy = async (rehearsal: Insisting): Promise<string> => sent(rehearsal, (await rehearsal.confirmed({ qty: 1 })).id);

async function sent(rehearsal: Insisting, id: string): Promise<string> {
  await rehearsal.dispatched(await allocated(rehearsal, id, PATIENCE_MS));
  return id;
}

interface Rush {
  readonly gateway: string;
  readonly buyers: number;
  /** Minimum number of orders; buyers continue until the disturbance has ended. */
  readonly ordersEach: number;
  /** Called once, when a quarter of the orders exist. */
  readonly disturb: () => Promise<unknown>;
}

/** Each buyer collects an order, changes one and imports one; a single buyer never comes to collect. The other orders are sent as they are. */
const placeOf = async (rehearsal: Insisting, { buyer, bought }: { readonly buyer: number; readonly bought: number }): Promise<string> => {
  if (bought === 1) return sent(rehearsal, await changeUnits(rehearsal));
  if (bought === 2) return sent(rehearsal, await importOrder(rehearsal));
  if (bought > 2) return buy(rehearsal);
  return buyer === 0 ? (await putOut(rehearsal, PATIENCE_MS)).orderId : collectAndReplace(rehearsal, PATIENCE_MS);
};

/** Buyers in one rehearsal, disturbed once. @returns the acknowledged orders, and the violations after all work has completed */
export async function rush({ gateway, buyers, ordersEach, disturb }: Rush) {
  await using rehearsal = await stubbornRehearsal(gateway);
  const { control } = rehearsal;
  const known: string[] = [];
  let disturbance: Promise<unknown> | undefined;
  let isOver = false;
  const buyFor = async (buyer: number): Promise<void> => {
    for (let bought = 0; bought < ordersEach || !isOver; bought++) {
      known.push(await placeOf(rehearsal, { buyer, bought }));
      if (known.length * 4 >= buyers * ordersEach) {
        disturbance ??= disturb().finally(() => {
          isOver = true;
        });
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: buyers }, (_, buyer) => buyFor(buyer)));
    await disturbance;
  } catch (error) {
    rehearsal.giveUp();
    throw error;
  }
  // Detects broken connections before the requests that are sent only once.
  const orders = await Promise.all(known.map((id) => rehearsal.order(id)));
  await control('settle', { body: { timeoutMs: REST_MS } });
  const to = new Date(Date.parse((await control('read-clock')).now) + TWELVE_DAYS_MS).toISOString();
  const arrived = async (): Promise<boolean> => (await control('advance-clock', { body: { to, timeoutMs: REST_MS } })).settled;
  await eventually('all work of twelve days is done', arrived, MOST_REST_MS);
  const states = await Promise.all(orders.map(async ({ id }) => (await rehearsal.order(id)).state));
  const { items } = await control('list-events', { query: { type: 'order-created', limit: 1_000 } });
  const { parked } = await control('settle', { body: { timeoutMs: REST_MS } });
  const { settled, waitingFor, invariants } = await control('verify');
  const broken = invariants.filter(({ holds }) => !holds).flatMap(({ title, violations }) => [title, ...violations]);
  return {
    known,
    states,
    existing: new Set(items.map(({ event }) => event['subject'])).size,
    settled,
    complaints: [...waitingFor, ...broken, ...parked.map(({ what, key, error }) => `parked: ${what} ${key}: ${error}`)],
  };
}
