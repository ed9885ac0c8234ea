import type { Fixtures } from '../../fixtures/files.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { saleNumbers, stores, transactions } from './collections.ts';
import { recordTenderNews } from './hub-payments.ts';
import { abandonOpening, createTransaction } from './opening.ts';
import { captureTenders, submitOrder } from './submission.ts';
import { addPayment, resolveTender } from './tenders.ts';
import { getTransaction } from './transactions.ts';
import { expireTransaction, onOrderCancelled, undoSale, voidTransaction } from './voiding.ts';

export const service = defineService({
  application: 'pos',
  collections: [transactions, stores, saleNumbers],
  counters: [],
  apis: { 'create-transaction-api': createTransaction, 'void-transaction-api': voidTransaction, 'add-payment-api': addPayment },
  internal: { 'get-transaction': getTransaction },
  events: {
    'payment-authorized': recordTenderNews,
    'payment-captured': recordTenderNews,
    'ext.payment-changed': recordTenderNews,
    'order-cancelled': onOrderCancelled,
  },
  due: [abandonOpening, resolveTender, submitOrder, captureTenders, undoSale, expireTransaction],
});

/** A world begins with the stores, and without transactions. */
export const seed = ({ locations }: Fixtures): Seed => ({
  objects: [
    {
      of: stores,
      rows: locations.filter(({ type }) => type === 'store').map(({ id, name, timeZone }) => ({ id, version: 1, name, timeZone })),
    },
  ],
});
