import { moveHold } from '../../shared/catalog/inventory/internal.ts';
import { handleDue, type Scope } from '../../shared/work/handler.ts';
import { type Movement, movements } from './collections.ts';
import { moveStockDue } from './due-work.ts';

const kindAtInventoryService = {
  consume: 'consume',
  short: 'write-off',
  'give-back': 'give-back',
  send: 'send',
  receive: 'receive',
  'not-received': 'not-received',
} as const satisfies Record<Movement['kind'], string>;

/**
 * Reports the recorded movements to the Inventory Service, sorted by recording. It books each reference once. Work that gives the rest of a
 * reservation back calls this first, so that the rest excludes the moved units.
 * @throws Problem when the Inventory Service does not answer; the remaining movements stay pending
 */
export async function movePendingStock(reservationId: string, { work, call }: Pick<Scope, 'work' | 'call'>): Promise<void> {
  const { items } = await work.find(movements, 'pending', reservationId);
  for (const movement of items) {
    const { reference, kind, allocations } = movement;
    const body = { reference, kind: kindAtInventoryService[kind], allocations };
    await call(moveHold, { params: { reservationId }, body }, { step: reference });
    work.put(movements, { ...movement, pending: false });
  }
}

export const moveStock = handleDue(moveStockDue)(async ({ key }, { work, call }) => movePendingStock(key, { work, call }));
