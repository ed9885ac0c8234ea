import type { TestRehearsal } from '../support/estate.ts';

export const eur = (amount: number) => ({ amount, currency: 'EUR' });

/** A checkout at the till of the first store. */
export const begin = (rehearsal: TestRehearsal, body: Record<string, unknown> = {}) =>
  rehearsal.ok('POST', '/transactions', {
    storeId: 'store-01',
    laneId: 'lane-1',
    ...(body['basketId'] === undefined && { lines: [{ sku: 'mug-blue', qty: 2 }] }),
    ...body,
  });

export const CASH = { type: 'cash' };
export const card = (token = 'tok_visa') => ({ type: 'card', token });

/** Adds a tender, with any result. */
export const pay = (
  rehearsal: TestRehearsal,
  id: string,
  tender: Record<string, unknown>,
  amount: number,
  headers: Record<string, string> = {},
) => rehearsal.call('POST', `/transactions/${id}/payment`, { tender, amount: eur(amount) }, { headers });

export const voidIt = (rehearsal: TestRehearsal, id: string, body: Record<string, unknown> = {}) =>
  rehearsal.call('POST', `/transactions/${id}/void`, body);

export const typesOf = (events: readonly { type: string }[]): string[] =>
  events.map(({ type }) => type.replace('com.unified-commerce.', ''));

/** Units on hand and reserved at a store. */
export async function stockAt(rehearsal: TestRehearsal, sku: string, locationId = 'store-01') {
  const { locations } = await rehearsal.ok('GET', `/inventory/items/${sku}`);
  const { onHand, reserved } = locations.find((one: { locationId: string }) => one.locationId === locationId) ?? { onHand: 0, reserved: 0 };
  return { onHand, reserved };
}
