import { listPayments as listPaymentsCall } from '../../../shared/catalog/payment/internal.ts';
import { allPages } from '../../../shared/work/all-pages.ts';
import { handle } from '../../../shared/work/handler.ts';
import { payments, published } from '../collections.ts';

export const listPayments = handle(listPaymentsCall)(async ({ query }, { work }) => ({
  items: (await allPages((cursor) => work.find(payments, 'order', query.orderId, { cursor }))).map(published),
}));
