import type { withSteps } from './rehearsal-at.ts';
import { card } from './tender.ts';

/**
 * A confirmed order whose first payment the fault "hub-down" failed, with its parcel at the carrier.
 * @param refused tokens of cards that are refused before another one pays
 * @returns the id of the order
 */
export async function orderAfterOutage(rehearsal: ReturnType<typeof withSteps>, refused: readonly string[] = []): Promise<string> {
  await rehearsal.progress({ carrier: 'manual' });
  const { id: orderId } = await rehearsal.draft();
  await rehearsal.fault('hub-down', { match: { application: 'payment-hub' }, fault: { kind: 'outage' }, times: 1 });
  for (const token of [undefined, ...refused]) await rehearsal.call('authorize-payment-api', { body: { orderId, tender: card(token) } });
  await rehearsal.authorisation(orderId);
  await rehearsal.confirmed(orderId);
  await rehearsal.advance('PT4H');
  return orderId;
}
