import type { ProgressionInput } from '../../shared/catalog/control/progression.ts';
import { openRehearsal } from './open-rehearsal.ts';
import { eventSteps } from './steps/events.ts';
import { orderSteps } from './steps/order.ts';
import { parcelSteps } from './steps/parcel.ts';
import { returnSteps } from './steps/return.ts';
import { stockSteps } from './steps/stock.ts';
import { tillSteps } from './steps/till.ts';

/** Addresses of the estate that the test run started. */
export const estate = JSON.parse(process.env['ESTATE'] ?? '{}') as {
  gateway: string;
  touchpoint: string;
  portal: string;
  applications: Record<string, string>;
};

/**
 * A rehearsal for one test: typed calls, and the steps of a story. Delete it with `await using`, or leave it.
 * Steps named by a noun or a participle (`basket`, `confirmed`) must succeed and return the object; steps named by a verb (`confirm`) return the reply.
 * @param progression where it differs from the default, such as `{ warehouse: 'manual' }` for a test that picks by hand
 */
export async function newRehearsal(progression?: ProgressionInput) {
  const rehearsal = await openRehearsal(estate.gateway, progression);
  const order = orderSteps(rehearsal);
  const parcel = parcelSteps(rehearsal, order);
  return {
    ...rehearsal,
    ...order,
    ...parcel,
    ...returnSteps(rehearsal, { ...order, ...parcel }),
    ...tillSteps(rehearsal),
    ...stockSteps(rehearsal),
    ...eventSteps(rehearsal),
  };
}

export type TestRehearsal = Awaited<ReturnType<typeof newRehearsal>>;

export { eventually } from './eventually.ts';
export { ADMIN } from './open-rehearsal.ts';
export { ADDRESS } from './steps/order.ts';
