import { type EstateOfProcesses, type Rehearsed, times } from './processes.ts';

/** No stock in the fixtures, so that the test determines all of it. */
const SKU = 'vase-sold-out';
const SHELF = 'dc-01';
export const ONE = { items: [{ sku: SKU, qty: 1 }] };
export const RESERVATIONS = '/inventory/reservations';

/** A rehearsal with so many vases. */
export async function rehearsalWith(estate: EstateOfProcesses, onHand: number): Promise<Rehearsed> {
  const rehearsal = await estate.rehearse();
  await rehearsal.client.control('count-stock-by-hand', { params: { sku: SKU, locationId: SHELF }, body: { onHand } });
  return rehearsal;
}

export async function shelf(rehearsal: Rehearsed): Promise<{ onHand: number; reserved: number; atp: number }> {
  const { locations } = await rehearsal.ok('GET', `/inventory/items/${SKU}`);
  return locations.find(({ locationId }: { locationId: string }) => locationId === SHELF);
}

/** Buyers who go on until they are told to stop, or the test ends. */
export function buying(rehearsal: Rehearsed, buyers: number) {
  const replies: { status: number; id?: string; retryAfter: unknown; ms: number }[] = [];
  let going = true;
  const buyer = async (n: number): Promise<void> => {
    for (let turn = 0; going; turn++) {
      const began = performance.now();
      const headers = { 'idempotency-key': `${n}-${turn}` };
      const reply = await rehearsal.client.call('POST', RESERVATIONS, ONE, { headers }).catch(() => undefined);
      const ms = performance.now() - began;
      replies.push({ status: reply?.status ?? 0, id: reply?.body?.id, retryAfter: reply?.headers['retry-after'], ms });
      // Who is refused comes back a little later.
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
