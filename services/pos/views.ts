import type { z } from 'zod';
import { getTransaction as getTransactionCall } from '../../shared/catalog/commerce/internal.ts';
import type { Transaction } from '../../shared/catalog/commerce/transaction.ts';
import type { OrderView } from '../../shared/catalog/order/objects.ts';
import { mintedAt } from '../../shared/domain/ids.ts';
import { orderNumberOf } from '../../shared/domain/order-number.ts';
import { instant } from '../../shared/domain/time.ts';
import { handle } from '../../shared/work/handler.ts';
import type { Sale } from './collections.ts';
import { coveredBy, saleById } from './transactions.ts';

export const getTransaction = handle(getTransactionCall)(async ({ params }, { work }) => published(await saleById(work, params.id)));

function paymentStatusOf({ basket, tenders }: Sale): z.output<typeof OrderView>['paymentStatus'] {
  const total = basket.totals.total.amount;
  if (total === 0) return 'paid';
  const authorised = tenders.reduce((sum, tender) => sum + (tender.state === 'pending' ? 0 : coveredBy(tender)), 0);
  return authorised >= total ? 'authorised' : 'unpaid';
}

/** The order of a transaction that the OMS has not stored: a draft, or a cancelled order if the transaction was voided. */
export function orderView(sale: Sale): z.output<typeof OrderView> {
  const { id, version, createdAt, updatedAt, state, storeId, basket, tenders, voidReason, compensation } = sale;
  const { customerId, loyaltyAccountId, reservationId } = basket;
  return {
    id,
    version,
    createdAt,
    updatedAt,
    storeId,
    state: state === 'voided' ? 'cancelled' : 'draft',
    orderNumber: orderNumberOf(id, instant(mintedAt(id)), 0),
    channel: 'pos',
    basketId: basket.id,
    customerId,
    loyaltyAccountId,
    lines: basket.lines.map((line) => ({
      ...line,
      nodeId: storeId,
      ...(reservationId !== undefined && { reservationId }),
      fulfilledQty: 0,
      returnedQty: 0,
      cancelledQty: 0,
    })),
    totals: basket.totals,
    validatedAt: createdAt,
    cancelReason: voidReason,
    compensation,
    payments: tenders.map(({ version: _version, ...payment }) => payment),
    paymentStatus: paymentStatusOf(sale),
  };
}

/** The transaction as other applications see it. */
export function published(sale: Sale): z.output<typeof Transaction> {
  const { id, state, storeId, laneId, basket, tenders } = sale;
  const { customerId, loyaltyAccountId } = basket;
  return {
    id,
    storeId,
    laneId,
    basket,
    state: state === 'paid' || state === 'completed' || state === 'voided' ? state : 'open',
    total: basket.totals.total,
    paymentIds: tenders.map((tender) => tender.id),
    customerId,
    loyaltyAccountId,
  };
}
