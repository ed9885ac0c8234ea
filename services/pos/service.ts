import type { Fixtures } from '../../fixtures/files.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { addPayment } from './apis/add-payment.ts';
import { createTransaction } from './apis/create-transaction.ts';
import { voidTransaction } from './apis/void-transaction.ts';
import { saleNumbers, stores, transactions } from './collections.ts';
import { abandonOpening } from './due/abandon-opening.ts';
import { captureTenders } from './due/capture-tenders.ts';
import { expireTransaction } from './due/expire-transaction.ts';
import { resolveTender } from './due/resolve-tender.ts';
import { submitOrder } from './due/submit-order.ts';
import { undoSale } from './due/undo-sale.ts';
import { onOrderCancelled } from './events/on-order-cancelled.ts';
import { onPaymentAuthorized } from './events/on-payment-authorized.ts';
import { onPaymentCaptured } from './events/on-payment-captured.ts';
import { onPaymentChanged } from './events/on-payment-changed.ts';
import { getTransaction } from './internal/get-transaction.ts';

export const service = defineService({
  application: 'pos',
  collections: [transactions, stores, saleNumbers],
  counters: [],
  apis: { 'create-transaction-api': createTransaction, 'void-transaction-api': voidTransaction, 'add-payment-api': addPayment },
  internal: { 'get-transaction': getTransaction },
  events: {
    'payment-authorized': onPaymentAuthorized,
    'payment-captured': onPaymentCaptured,
    'ext.payment-changed': onPaymentChanged,
    'order-cancelled': onOrderCancelled,
  },
  due: [abandonOpening, resolveTender, submitOrder, captureTenders, undoSale, expireTransaction],
});

/** A world begins with the stores, and without transactions. */
export const seed = ({ locations }: Fixtures, _now: number): Seed => ({
  objects: [
    {
      of: stores,
      rows: locations.filter(({ type }) => type === 'store').map(({ id, name }) => ({ id, version: 1, name })),
    },
  ],
});
