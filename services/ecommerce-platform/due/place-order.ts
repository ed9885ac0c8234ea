import { createOrder } from '../../../shared/catalog/order/apis.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { placeOrder } from '../due-work.ts';
import { orderPlaced } from '../checkout/order-placement.ts';
import { checkoutOf } from '../checkout/record.ts';
import { baskets } from '../collections.ts';

/** The order of a converted basket that the OMS did not store, or of which it is not known. The same basket gives the same order. */
export const placeOwedOrder = handleDue(placeOrder)(async ({ key, attempts }, { work, call }) => {
  const basket = await work.get(baskets, key);
  const record = await checkoutOf(work, key);
  if (!basket || record?.phase !== 'placing') return;
  await call(createOrder, { body: { basketId: basket.id, basket } }, { step: `attempt ${attempts}` });
  orderPlaced(work, basket.id, record);
});
