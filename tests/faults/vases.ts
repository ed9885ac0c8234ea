import { type EstateOfProcesses, type Rehearsed, times } from './processes.ts';

/** A SKU without stock in the fixtures. */
const SKU = 'vase-sold-out';
const SHELF = 'dc-01';
export const ONE = { items: [{ sku: SKU, qty: 1 }] };
export const RESERVE = 'reserve-inventory-api';

export async function rehearsalWith(estate: EstateOfProcesses, onHand: number): Promise<Rehearsed> {
  const rehearsal = await estate.rehearse();
  await rehearsal.control('count-stock-by-hand', { params: { sku: SKU, locationId: SHELF }, body: { onHand } });
  return rehearsal;
}

export async function shelf({ api }: Rehearsed): Promise<{ onHand: number; reserved: number; atp: number }> {
  const { locations } = await api('get-inventory-api', { params: { sku: SKU } });
  const found = locations.find(({ locationId }) => locationId === SHELF);
  if (!found) throw new Error(`${SHELF} has no ${SKU}.`);
  return found;
}

/** Buyers who reserve vases until they are stopped, or the test ends. */
export function buying({ call }: Rehearsed, buyers: number) {
  const replies: { status: number; id?: string; retryAfter: unknown; ms: number }[] = [];
  let going = true;
  const buyer = async (n: number): Promise<void> => {
    for (let turn = 0; going; turn++) {
      const began = performance.now();
      const reply = await call(RESERVE, { body: ONE, headers: { 'idempotency-key': `${n}-${turn}` } }).catch(() => undefined);
      const ms = performance.now() - began;
      replies.push({ status: reply?.status ?? 0, id: reply?.body?.id, retryAfter: reply?.headers['retry-after'], ms });
      // A refused buyer pauses.
      if (reply?.status !== 201) await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const all = Promise.all(times(buyers, buyer));
  const stop = async () => {
    going = false;
    await all;
    return replies;
  };
  return { replies, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}

export const succeeded = (replies: readonly { status: number }[]): number => replies.filter(({ status }) => status === 201).length;
