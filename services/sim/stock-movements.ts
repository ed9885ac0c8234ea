import { moveHold } from '../../shared/catalog/inventory/internal.ts';
import type { Scope } from '../../shared/work/handler.ts';
import { type Movement, movements } from './collections.ts';

const kindAtHold = { consume: 'consume', short: 'write-off' } as const satisfies Record<Movement['kind'], string>;

/**
 * Has the Inventory Service move what was recorded here, in that order; the reference makes each of them happen once there.
 * Whatever gives back the rest of a reservation does this first: afterwards the rest is only what nobody took.
 * @throws Problem when the Inventory Service does not answer; the pending ones stay pending
 */
export async function moveStockOf(reservationId: string, { work, call }: Pick<Scope, 'work' | 'call'>): Promise<void> {
  const { items } = await work.find(movements, 'pending', reservationId);
  for (const movement of items) {
    const { reference, kind, allocations } = movement;
    const body = { reference, kind: kindAtHold[kind], allocations };
    await call(moveHold, { params: { reservationId }, body }, { step: reference });
    work.put(movements, { ...movement, pending: false });
  }
}
