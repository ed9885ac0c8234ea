import type { OpenRehearsal } from '../open-rehearsal.ts';
import { eur } from './tender.ts';

/** Steps at the till of the first store. */
export function tillSteps({ api, call }: OpenRehearsal) {
  return {
    /** A checkout at the till, not paid yet. */
    sale: (body: Record<string, unknown> = {}) =>
      api('create-transaction-api', {
        body: {
          storeId: 'store-01',
          laneId: 'lane-1',
          ...(body['basketId'] === undefined && { lines: [{ sku: 'mug-blue', qty: 2 }] }),
          ...body,
        },
      }),
    /** Adds a tender to a sale. */
    pay: (id: string, tender: Record<string, unknown>, amount: number, headers: Record<string, string> = {}) =>
      call('add-payment-api', { params: { id }, body: { tender, amount: eur(amount) }, headers }),
    voidSale: (id: string, body: Record<string, unknown> = {}) => call('void-transaction-api', { params: { id }, body }),
  };
}
