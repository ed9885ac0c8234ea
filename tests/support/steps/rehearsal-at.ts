import type { OwnData } from '../../../shared/catalog/control/own-data.ts';
import type { ProgressionInput } from '../../../shared/catalog/control/progression.ts';
import { openRehearsal, type SwapsInput } from '../open-rehearsal.ts';
import { eventSteps } from './events.ts';
import { givenSteps } from './given.ts';
import { orderSteps } from './order.ts';
import { parcelSteps } from './parcel.ts';
import { returnSteps } from './return.ts';
import { stockSteps } from './stock.ts';
import { tillSteps } from './till.ts';

/**
 * A rehearsal of the estate behind a gateway: typed calls, and the steps of a story. Delete it with `await using`, or leave it.
 * Steps named by a noun or a participle (`basket`, `confirmed`) must succeed and return the object; steps named by a verb (`confirm`) return the reply.
 * @param progression where it differs from the default, such as `{ warehouse: 'manual' }` for a test that picks by hand
 */
export const rehearsalAt = async (gateway: string, progression?: ProgressionInput, data?: OwnData, swap?: SwapsInput) =>
  withSteps(await openRehearsal(gateway, progression, { ...(data && { data }), ...(swap && { swap }) }));

/** A rehearsal with the steps of a story, made of its calls. */
export function withSteps<Opened extends Awaited<ReturnType<typeof openRehearsal>>>(rehearsal: Opened) {
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
    ...givenSteps(rehearsal),
  };
}
