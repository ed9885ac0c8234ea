import { checkoutBasket } from '../../../shared/catalog/commerce/apis.ts';
import { basketLifeCycle } from '../../../shared/catalog/commerce/objects.ts';
import { isAgain, refusal } from '../../../shared/catalog/life-cycle.ts';
import { notFound, Problem } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import { changeCheckout } from '../checkout/change.ts';
import { type CheckoutBody, changedMembers, isChangeable, unchangeableCheckout } from '../checkout/changed-values.ts';
import { identifyCustomer } from '../checkout/customer.ts';
import { convertAndPlaceOrder, submitOrder } from '../checkout/order-placement.ts';
import { checkoutOf, giveUpCheckout, refuseWhileChanging } from '../checkout/record.ts';
import { requireHold } from '../checkout/standing-hold.ts';
import { startCheckout } from '../checkout/start.ts';
import { type Basket, baskets } from '../collections.ts';

export const checkoutBasketHandler = handle(checkoutBasket)(async ({ params, body }, scope) => {
  const { work } = scope;
  try {
    const basket = await work.get(baskets, params.id);
    if (!basket) throw notFound('basket', params.id);
    if (isAgain(basketLifeCycle, basket, 'checkout')) return await repeatCheckout(scope, basket, body);
    const { locked, record } = await startCheckout(scope, basket, body);
    return body.placeOrder ? await convertAndPlaceOrder(scope, locked, record) : locked;
  } catch (error) {
    if (!(error instanceof Problem) || !(await giveUpCheckout(work, params.id))) throw error;
    return error;
  }
});

/** Applies other values while there is no order, and places an order that is still missing. */
async function repeatCheckout(scope: Scope, basket: Basket, body: CheckoutBody) {
  const record = await checkoutOf(scope.work, basket.id);
  if (basket.transactionId !== undefined && body.placeOrder) throw orderedByTill(basket, basket.transactionId);
  const changed = changedMembers(basket, body, record);
  if (changed.length > 0) {
    if (!isChangeable(basket)) throw unchangeableCheckout(basket, changed);
    const { locked, record: settled } = await changeCheckout(scope, await requireHold(basket, scope), body);
    return body.placeOrder ? convertAndPlaceOrder(scope, locked, settled) : locked;
  }
  if (!body.placeOrder || !record) return again(basket);
  if (basket.state === 'locked') {
    await refuseWhileChanging(scope.work, basket);
    await identifyCustomer(scope, basket, { placeOrder: true });
    return convertAndPlaceOrder(scope, await requireHold(basket, scope), record);
  }
  return record.phase === 'placing' ? submitOrder(scope, basket, record) : again(basket);
}

function orderedByTill({ id, state }: Basket, transactionId: string): Problem {
  return refusal(
    'basket',
    { id, state },
    'place-order',
    `The basket "${id}" belongs to the transaction "${transactionId}": the till places its order when it is paid.`,
    { transactionId },
  );
}
