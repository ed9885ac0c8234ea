import { recordVoucherUse } from '../../../shared/catalog/promotion/internal.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { orders } from '../collections.ts';
import { redeemVouchersDue } from '../due-work.ts';

/** Redeems the vouchers of a confirmed order. The compensation of a cancelled order releases them instead. */
export const redeemVouchers = handleDue(redeemVouchersDue)(async ({ key }, { work, call }) => {
  const order = await work.get(orders, key);
  if (!order || order.state === 'draft' || order.state === 'cancelled') return;
  await call(recordVoucherUse, { params: { basketId: order.basketId }, body: { state: 'redeemed' } });
});
