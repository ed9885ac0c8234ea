import { confirmReservation } from '../../../shared/catalog/inventory/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';

/** A reservation reaches these states only after it was confirmed and passed to the FMS. */
const WORKED_ON: ReadonlySet<unknown> = new Set(['fulfilled', 'cancelled']);

/**
 * Confirms a reservation for fulfilment; afterwards clients cannot release it. An earlier attempt whose answer was lost may have confirmed
 * it, and its units may be dispatched or short by now. Then its fulfillment order exists, and the next request to the FMS finds it.
 * @returns false if the reservation ended before it was confirmed
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
