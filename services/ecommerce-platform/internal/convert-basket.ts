import { convertBasket as convertBasketCall } from '../../../shared/catalog/commerce/internal.ts';
import { basketLifeCycle } from '../../../shared/catalog/commerce/objects.ts';
import { isAgain, refusal } from '../../../shared/catalog/life-cycle.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import { convertBasket } from '../checkout/order-placement.ts';
import { refuseWhileChanging } from '../checkout/record.ts';
import { type Basket, baskets } from '../collections.ts';

export const convertBasketHandler = handle(convertBasketCall)(async ({ params, body }, { work }) => {
  const basket = await work.get(baskets, params.id);
  if (!basket) throw notFound('basket', params.id);
  if (isAgain(basketLifeCycle, basket, 'convert')) return again(basket);
  refuseOtherOrder(basket, body.orderId);
  await refuseWhileChanging(work, basket);
  return convertBasket(work, basket, body.orderId);
});

/** The order of a transaction has the transaction's id. @throws Problem 409 */
function refuseOtherOrder({ id, state, transactionId }: Basket, orderId: string): void {
  if (transactionId === undefined || transactionId === orderId) return;
  throw refusal(
    'basket',
    { id, state },
    'convert',
    `The basket "${id}" belongs to the transaction "${transactionId}": create its order with the transactionId.`,
    { transactionId },
  );
}
