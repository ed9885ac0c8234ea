import { eventually } from '../eventually.ts';
import { collectionSteps } from './collection.ts';
import type { Insisting } from './insisting.ts';

/** The fulfillment order of a confirmed order, once it can be picked: an order may be confirmed while the FMS is missing. */
export async function allocated(rehearsal: Insisting, orderId: string, patienceMs: number): Promise<string> {
  const found = async () => (await rehearsal.routed(orderId))?.find(({ state }) => state === 'allocated');
  return (await eventually(`the order ${orderId} is allocated`, found, patienceMs)).id;
}

/** An order until its goods wait at the counter of a store. @returns the id of the order, and how the goods are handed over */
export async function putOut(rehearsal: Insisting, patienceMs: number) {
  const { collected, ready } = collectionSteps(rehearsal);
  const { orderId = '' } = await collected({ locationId: 'store-01' }, [{ sku: 'mug-blue', qty: 1 }]);
  await rehearsal.authorisation(orderId);
  await rehearsal.confirmed(orderId);
  const { id, collection } = await ready(await allocated(rehearsal, orderId, patienceMs));
  const handOver = () => rehearsal.api('hand-over-collection-api', { params: { id }, body: { code: collection?.code } });
  return { orderId, handOver };
}

/** An order from the basket until its customer has collected it. @returns its id */
export async function collect(rehearsal: Insisting, patienceMs: number): Promise<string> {
  const { orderId, handOver } = await putOut(rehearsal, patienceMs);
  await handOver();
  return orderId;
}
