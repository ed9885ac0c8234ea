import { createBasket } from '../../../shared/catalog/commerce/apis.ts';
import { basketLifeCycle } from '../../../shared/catalog/commerce/objects.ts';
import { getCustomer } from '../../../shared/catalog/customer/apis.ts';
import { putParty } from '../../../shared/catalog/customer/internal.ts';
import { rowFor } from '../../../shared/catalog/life-cycle.ts';
import { invalid, notFound } from '../../../shared/catalog/problems.ts';
import { CURRENCY } from '../../../shared/domain/money.ts';
import { handle, type Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Asked, addToLines } from '../basket/lines.ts';
import { priceOpenBasket, pricesForSale } from '../basket/price.ts';
import { priceLines } from '../basket/pricing.ts';
import { renewIdleTimer } from '../basket/timers.ts';
import { type Basket, baskets } from '../collections.ts';
import { basketIdle, releaseHolds } from '../due-work.ts';

export const createBasketHandler = handle(createBasket)(async ({ body }, scope) => {
  const { work } = scope;
  const { channel, currency = CURRENCY, lines = [], mergeBasketIds = [] } = body;
  if (currency !== CURRENCY) throw invalid('/currency', 'unsupported_currency', `Every price is in ${CURRENCY}; leave the currency out.`);
  const id = work.id('bsk');
  const merged = await openBaskets(work, mergeBasketIds);
  const asked: Asked[] = [
    ...lines.map((line, index) => ({ ...line, pointer: `/lines/${index}` })),
    ...merged.flatMap((basket) =>
      basket.lines.map((line) => ({ ...line, pointer: `/mergeBasketIds/${mergeBasketIds.indexOf(basket.id)}` })),
    ),
  ];
  const withoutDiscount = await pricesForSale(work, addToLines(id, [], asked));
  const customer = await customerOf(scope, id, body.customerId);
  const prices = await priceOpenBasket(scope, withoutDiscount);
  for (const basket of merged) mergeInto(work, basket, id);
  return work.create(baskets, 'create', {
    id,
    channel,
    currency,
    customerId: customer.id,
    loyaltyAccountId: customer.loyaltyAccountId,
    ...prices,
    expiresAt: renewIdleTimer(work, id),
  });
});

/** @throws Problem 404; 409 for one that is not open */
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

/** The customer named, or an anonymous party of this basket's own. @throws Problem 404, 503, 504 */
const customerOf = ({ call }: Scope, basketId: string, customerId: string | undefined) =>
  customerId === undefined ? call(putParty, { params: { basketId } }) : call(getCustomer, { params: { id: customerId } });

/** Its lines move; what somebody had held for it by hand is given back, since the other basket may be held otherwise. */
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
