import type { Rehearsed } from './processes.ts';

export const ADDRESS = { name: 'Ada Quay', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };

/** Who has to be there for an order to be placed and confirmed. */
export const SHOP = { gateway: 1, 'ecommerce-platform': 1, crm: 1, oms: 1, 'payment-hub': 1, sim: 1, 'inventory-service': 1 } as const;

/** A basket until it is an order that is to be paid. @returns the order's id */
export async function order({ ok }: Rehearsed, customerId?: string): Promise<string> {
  const lines = [{ sku: 'mug-blue', qty: 1 }];
  const { id: basketId } = await ok('POST', '/baskets', { channel: 'web', lines, ...(customerId !== undefined && { customerId }) });
  await ok('POST', `/baskets/${basketId}/checkout`, { shippingAddress: ADDRESS });
  return (await ok('POST', '/orders', { basketId })).id;
}

export const CARD = { type: 'card', token: 'tok_visa' };

export const pay = (rehearsal: Rehearsed, orderId: string): Promise<unknown> =>
  rehearsal.ok('POST', '/payments/authorizations', { orderId, tender: CARD });

export async function confirmed(rehearsal: Rehearsed, customerId?: string): Promise<string> {
  const orderId = await order(rehearsal, customerId);
  await pay(rehearsal, orderId);
  await rehearsal.ok('POST', `/orders/${orderId}/confirm`, {});
  return orderId;
}
