import { createOrder } from '../../../shared/catalog/order/apis.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { settlePlacedOrder } from '../checkout/order-placement.ts';
import { checkoutOf } from '../checkout/record.ts';
import { baskets } from '../collections.ts';
import { placeOrder } from '../due-work.ts';

export const resubmitOrder = handleDue(placeOrder)(async ({ key, attempts }, { work, call }) => {
  const basket = await work.get(baskets, key);
  const record = await checkoutOf(work, key);
  if (!basket || record?.phase !== 'placing') return;
  await call(createOrder, { body: { basketId: basket.id, basket } }, { step: `attempt ${attempts}` });
  settlePlacedOrder(work, basket.id, record);
});
