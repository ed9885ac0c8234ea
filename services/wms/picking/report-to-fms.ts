import type { z } from 'zod';
import type { FulfillmentOrder } from '../../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { recordPicking } from '../../../shared/catalog/fulfillment/internal.ts';
import { isUnknownOutcome, Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { IntendedMove, PickingOrder } from '../collections.ts';

export type PickingScope = Pick<Scope, 'work' | 'call' | 'context'>;

/**
 * Reports a status to the FMS before it is stored here.
 * @returns the fulfillment order, or the refusal of the FMS, which then has not moved it
 * @throws Problem when the outcome is unknown: the intent stays, for a repeat or the due work
 */
export async function reportToFms(
  { call }: PickingScope,
  { id, fulfillmentOrderId }: Pick<PickingOrder, 'id' | 'fulfillmentOrderId'>,
  { status, lines }: Pick<IntendedMove, 'status' | 'lines'>,
): Promise<z.output<typeof FulfillmentOrder> | Problem> {
  try {
    return await call(recordPicking, { params: { id: fulfillmentOrderId }, body: { pickingOrderId: id, status, lines } }, { step: status });
  } catch (error) {
    if (!(error instanceof Problem) || isUnknownOutcome(error) || error.code === 'idempotency_in_progress') throw error;
    return error;
  }
}
