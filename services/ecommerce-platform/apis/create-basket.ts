import { createBasket } from '../../../shared/catalog/commerce/apis.ts';
import { basketLifeCycle } from '../../../shared/catalog/commerce/objects.ts';
import { getCustomer } from '../../../shared/catalog/customer/apis.ts';
import { putParty } from '../../../shared/catalog/customer/internal.ts';
import type { InputOf } from '../../../shared/catalog/define.ts';
import { rowFor } from '../../../shared/catalog/life-cycle.ts';
import { invalid, notFound } from '../../../shared/catalog/problems.ts';
import { CURRENCY } from '../../../shared/domain/money.ts';
import { handle, type Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { priceOpenBasket, pricesForSale } from '../basket/current-prices.ts';
import { restartIdleTimer } from '../basket/idle-timer.ts';
import { addToLines, type RequestedUnits } from '../basket/lines.ts';
import { priceLines } from '../basket/pricing.ts';
import { isGuest } from '../checkout/customer.ts';
import { type Basket, baskets } from '../collections.ts';
import { basketIdle, releaseHolds } from '../due-work.ts';

type Body = InputOf<typeof createBasket>['body'];

export const createBasketHandler = handle(createBasket)(async ({ body }, scope) => {
  const { work } = scope;
  const { channel, currency = CURRENCY, lines = [], mergeBasketIds = [] } = body;
  const id = work.id('bsk');
  const basketsToMerge = await openBaskets(work, mergeBasketIds);
  for (const basket of basketsToMerge) await refuseBasketOfAnother(scope, basket, body);
  const requested: RequestedUnits[] = [
    ...lines.map((line, index) => ({ ...line, pointer: `/lines/${index}/qty` })),
    ...basketsToMerge.flatMap((basket) =>
      basket.lines.map((line) => ({ ...line, pointer: `/mergeBasketIds/${mergeBasketIds.indexOf(basket.id)}` })),
    ),
  ];
  const withoutDiscount = await pricesForSale(work, addToLines(id, [], requested));
  const customer = await readOrCreateCustomer(scope, id, body.customerId);
  const prices = await priceOpenBasket(scope, withoutDiscount);
  for (const basket of basketsToMerge) mergeInto(work, basket, id);
  return work.create(baskets, 'create', {
    id,
    channel,
    currency,
    customerId: customer.id,
    loyaltyAccountId: customer.loyaltyAccountId,
    ...prices,
    expiresAt: restartIdleTimer(work, id),
  });
});

/** @throws Problem 404; 409 for a basket that is not open */
async function openBaskets(work: UnitOfWork, ids: readonly string[]): Promise<Basket[]> {
  const found: Basket[] = [];
  for (const id of new Set(ids)) {
    const basket = await work.get(baskets, id);
    if (!basket) throw notFound('basket', id);
    rowFor(basketLifeCycle, basket, 'merge');
    found.push(basket);
  }
  return found;
}

/**
 * The basket of a registered customer is merged only for this customer. Anybody with its id may merge the basket of a guest.
 * @throws Problem `validation_failed` without any data of the other customer; 503, 504
 */
async function refuseBasketOfAnother({ call }: Scope, { id, customerId: owner }: Basket, { mergeBasketIds = [], customerId }: Body) {
  if (owner === undefined || owner === customerId) return;
  if (isGuest(await call(getCustomer, { params: { id: owner } }))) return;
  throw invalid(
    `/mergeBasketIds/${mergeBasketIds.indexOf(id)}`,
    'basket_of_another',
    `The basket "${id}" belongs to another registered customer. Leave it out, or name its customer in customerId.`,
  );
}

/** The customer of the request, or an anonymous party for this basket. @throws Problem 404, 503, 504 */
const readOrCreateCustomer = ({ call }: Scope, basketId: string, customerId: string | undefined) =>
  customerId === undefined ? call(putParty, { params: { basketId } }) : call(getCustomer, { params: { id: customerId } });

/** The lines move to the other basket. Stock that a client reserved explicitly stays with the merged basket, so it is released. */
function mergeInto(work: UnitOfWork, basket: Basket, mergedInto: string): void {
  work.cancel(basketIdle, basket.id);
  work.schedule(releaseHolds, basket.id, work.now, null, { beforeReply: true });
  work.transition(baskets, basket, 'merge', {
    ...priceLines([]),
    vouchers: [],
    promotionsStatus: undefined,
    mergedInto,
    expiresAt: undefined,
  });
}
