import { randomUUID } from 'node:crypto';
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

/** A collected order that is completed, so that a store can replace a unit that arrived damaged. @returns the replacement, as a step */
export async function collectDamaged(rehearsal: Insisting, patienceMs: number) {
  const orderId = await collect(rehearsal, patienceMs);
  const isCompleted = async () => {
    const found = await rehearsal.order(orderId);
    return found.state === 'completed' && found;
  };
  const { lines } = await eventually(`the order ${orderId} is completed`, isCompleted, patienceMs);
  const body = { lines: [{ orderLineId: lines[0].lineId, qty: 1 }], reason: 'damaged' as const, storeId: 'store-01' };
  return { orderId, replace: () => rehearsal.api('create-replacement-api', { params: { id: orderId }, body }) };
}

/** An order that is collected, and a unit of it that arrived damaged, which the store replaces from its stock. @returns its id */
export async function collectAndReplace(rehearsal: Insisting, patienceMs: number): Promise<string> {
  const { orderId, replace } = await collectDamaged(rehearsal, patienceMs);
  await replace();
  return orderId;
}

/** A confirmed order of two units. Its customer changes one of them away. @returns its id */
export async function changeUnits(rehearsal: Insisting): Promise<string> {
  const { id, lines } = await rehearsal.confirmed({ qty: 2 });
  await rehearsal.api('change-order-api', { params: { id }, body: { lines: [{ lineId: lines[0].lineId, qty: 1 }] } });
  return id;
}

/** A confirmed order that a web shop took at its own prices, with the payment that it noted. @returns its id */
export async function importOrder(rehearsal: Insisting): Promise<string> {
  const { order } = await rehearsal.noted(randomUUID());
  await rehearsal.confirmed(order.id);
  return order.id;
}
