import type { Stage } from '../scenario.ts';

export const ADDRESS = { name: 'Ada', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };

export const CARD = { type: 'card', token: 'tok_visa' };

export const stateOf = (payments: readonly { state: string }[]): string[] => payments.map(({ state }) => state);

/** Creates a draft order: basket, line, checkout, order. */
export async function basketInCheckout(
  stage: Stage,
  line: { sku: string; qty: number },
): Promise<{ basketId: string; orderId: string; reservationId: string; total: number }> {
  const basket = await stage.step({
    title: `Basket with ${line.qty} × ${line.sku}`,
    call: 'POST /baskets',
    body: { channel: 'web', customerId: 'cus_ada', lines: [line] },
  });
  const checkout = await stage.step({
    title: 'Check out',
    call: `POST /baskets/${basket.body.id}/checkout`,
    body: { shippingAddress: ADDRESS },
  });
  const order = await stage.step({ title: 'Create the order', call: 'POST /orders', body: { basketId: basket.body.id } });
  return {
    basketId: basket.body.id,
    orderId: order.body.id,
    reservationId: checkout.body.reservationId ?? '',
    total: checkout.body.totals.total.amount,
  };
}
