import type { ProgressionInput } from '../../shared/catalog/control/progression.ts';
import { ADDRESS, newRehearsal, type TestRehearsal } from '../support/estate.ts';

export const TTL = 'PT15M1S';

export interface Goods {
  readonly sku?: string;
  readonly qty?: number;
  readonly customerId?: string;
  readonly voucherCodes?: readonly string[];
}

/** A rehearsal with the steps that lead to an order, each of which must succeed. What follows the order is done by hand. */
export async function ordering(progression: ProgressionInput = {}) {
  const rehearsal = await newRehearsal({ warehouse: 'manual', ...progression });
  const basket = ({ sku = 'mug-blue', qty = 2, customerId = 'cus_ada' }: Goods = {}) =>
    rehearsal.ok('POST', '/baskets', { channel: 'web', customerId, lines: [{ sku, qty }] });
  const lockedBasket = async (goods: Goods = {}) => {
    const { id } = await basket(goods);
    const { voucherCodes } = goods;
    return rehearsal.ok('POST', `/baskets/${id}/checkout`, { shippingAddress: ADDRESS, ...(voucherCodes && { voucherCodes }) });
  };
  const draft = async (goods: Goods = {}) => rehearsal.ok('POST', '/orders', { basketId: (await lockedBasket(goods)).id });
  const authorise = (orderId: string, amount?: number, token = 'tok_visa') =>
    rehearsal.ok('POST', '/payments/authorizations', {
      orderId,
      tender: { type: 'card', token },
      ...(amount !== undefined && { amount: { amount, currency: 'EUR' } }),
    });
  const paidDraft = async (goods: Goods = {}) => {
    const order = await draft(goods);
    await authorise(order.id);
    return order;
  };
  const confirmed = async (goods: Goods = {}) => rehearsal.ok('POST', `/orders/${(await paidDraft(goods)).id}/confirm`);
  return {
    rehearsal,
    ...{ basket, lockedBasket, draft, authorise, paidDraft, confirmed },
    order: (id: string) => rehearsal.ok('GET', `/orders/${id}`),
    confirm: (id: string, headers: Record<string, string> = {}) => rehearsal.call('POST', `/orders/${id}/confirm`, undefined, { headers }),
    cancel: (id: string, body?: unknown, headers: Record<string, string> = {}) =>
      rehearsal.call('POST', `/orders/${id}/cancel`, body, { headers }),
    /** Units of a SKU that all locations have reserved. */
    reserved: async (sku: string): Promise<number> => {
      const { locations } = await rehearsal.ok('GET', `/inventory/items/${sku}`);
      return locations.reduce((sum: number, location: { reserved: number }) => sum + location.reserved, 0);
    },
    /** Names of an order's events, in order, with the versions of the order that they carry. */
    eventsOf: (id: string) => eventsOf(rehearsal, id),
    [Symbol.asyncDispose]: () => rehearsal[Symbol.asyncDispose](),
  };
}

async function eventsOf(rehearsal: TestRehearsal, id: string): Promise<string[]> {
  const events = await rehearsal.events({ subject: `order/${id}`, ext: true });
  return events.map(({ type, aggregateversion }) => `${type.replace('com.unified-commerce.', '')} v${aggregateversion}`);
}
