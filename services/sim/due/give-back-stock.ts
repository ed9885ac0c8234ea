import { moveHold } from '../../../shared/catalog/inventory/internal.ts';
import type { DueHandler } from '../../../shared/contract/handler.ts';

/** Repeated until the Inventory Service has it; the state of the hold makes it happen once there. */
export const giveBackStock: DueHandler = async ({ key }, { call }) => {
  await call(moveHold, { params: { reservationId: key }, body: { reference: `release ${key}`, kind: 'release' } });
};
