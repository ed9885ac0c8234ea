import { z } from 'zod';
import { moveHold } from '../../../shared/catalog/inventory/internal.ts';
import { isDependencyProblem } from '../../../shared/contract/client.ts';
import type { DueHandler } from '../../../shared/contract/handler.ts';
import { GIVE_BACK_STOCK } from '../due-kinds.ts';

const Payload = z.object({ leftToTheClock: z.boolean().default(false) });
const FIRST_RETRY_MS = 5_000;

/** Repeated until the Inventory Service has it; the state of the hold makes it happen once there. */
export const giveBackStock: DueHandler = async ({ key, payload }, { work, call }) => {
  const { leftToTheClock } = Payload.parse(payload);
  const body = { reference: `release ${key}`, kind: 'release' } as const;
  await call(moveHold, { params: { reservationId: key }, body }).catch((error: unknown) => {
    if (leftToTheClock || !isDependencyProblem(error)) throw error;
    // What fails before a reply stays with this process until its lease is over; the clock's driver tries again sooner.
    work.due(GIVE_BACK_STOCK, key, work.now + FIRST_RETRY_MS, { leftToTheClock: true });
  });
};
