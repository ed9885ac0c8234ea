import { Problem } from '../../../shared/catalog/problems.ts';
import { recordVoucherUse } from '../../../shared/catalog/promotion/internal.ts';
import type { DueHandler } from '../../../shared/contract/handler.ts';
import { orders } from '../collections.ts';
import { tryLater } from '../try-later.ts';

/** The vouchers of a confirmed order are used up. One that was cancelled meanwhile gives them back instead. */
export const redeemVouchers: DueHandler = async (item, scope) => {
  const order = await scope.work.get(orders, item.key);
  if (!order || order.state === 'draft' || order.state === 'cancelled') return;
  try {
    await scope.call(recordVoucherUse, { params: { basketId: order.basketId }, body: { state: 'redeemed' } });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    tryLater(item, error, scope);
  }
};
