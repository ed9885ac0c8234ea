import { recordVoucherUse } from '../../../shared/catalog/promotion/internal.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { orders } from '../collections.ts';
import * as dueWork from '../due-work.ts';

/** The vouchers of a confirmed order are used up. One that was cancelled meanwhile gives them back instead. */
export const redeemVouchers = handleDue(dueWork.redeemVouchers)(async ({ key }, { work, call }) => {
  const order = await work.get(orders, key);
  if (!order || order.state === 'draft' || order.state === 'cancelled') return;
  await call(recordVoucherUse, { params: { basketId: order.basketId }, body: { state: 'redeemed' } });
});
