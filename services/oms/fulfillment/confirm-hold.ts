import { confirmReservation } from '../../../shared/catalog/inventory/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';

/** States that only a hold reaches that was confirmed and given to the FMS. */
const WORKED_ON: ReadonlySet<unknown> = new Set(['fulfilled', 'cancelled']);

/**
 * Confirms a hold for an order that is sent from it, unless it is: from then on nobody else releases it. It may have been confirmed before, by an attempt whose answer was lost; by now its units
 * may even be dispatched, or short there as well. Then its fulfillment order exists, and asking for it once more finds it.
 * @returns false when the hold has ended before
 */
export async function tryConfirmHold(id: string, orderId: string, { call }: Scope): Promise<boolean> {
  try {
    await call(confirmReservation, { params: { id }, body: { orderId, forFulfilment: true } });
    return true;
  } catch (error) {
    if (!(error instanceof Problem) || error.retryable) throw error;
    if (error.code === 'invalid_state_transition') return WORKED_ON.has(error.context['currentState']);
    if (error.code !== 'reservation_expired' && error.code !== 'not_found') throw error;
    return false;
  }
}
