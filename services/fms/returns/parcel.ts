import { DEFAULT_CARRIER } from '../../../shared/catalog/fulfillment/shipments.ts';
import { notFound, type Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { nodes, type Parcel } from '../collections.ts';
import { handOverParcel } from '../parcels/hand-over-parcel.ts';
import { createParcel, type ParcelCopy } from '../parcels/parcel.ts';
import { returns, type StoredReturn } from './collections.ts';

/** Stores the parcel of a return, from the customer to the location of the return. For the commit of the approval. */
export async function createReturnParcel(found: StoredReturn, scope: Pick<Scope, 'work' | 'context'>): Promise<ParcelCopy> {
  const { id: returnId, locationId, customerAddress: from } = found;
  const node = await scope.work.get(nodes, locationId);
  if (!node) throw notFound('location', locationId);
  if (!from) throw new Error(`The return ${returnId} comes by parcel but has no customer address.`);
  // Its goods left the stock records with the original order.
  return createParcel({ returnId, carrier: DEFAULT_CARRIER, service: 'STANDARD', from, to: node.address, stockTaken: true }, scope);
}

/** Registers the parcel of a return and requests its label. @returns why that is not done yet */
export async function handOverReturn(found: StoredReturn, parcel: Parcel, scope: Scope): Promise<Problem | undefined> {
  const { shipments, failure } = await handOverParcel(found, parcel, scope);
  if (shipments) scope.work.transition(returns, found, 'note', { shipments });
  return failure;
}
