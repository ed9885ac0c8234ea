import { putTransactionBasket as putTransactionBasketCall } from '../../../shared/catalog/commerce/internal.ts';
import { basketLifeCycle } from '../../../shared/catalog/commerce/objects.ts';
import type { InputOf } from '../../../shared/catalog/define.ts';
import { rowFor } from '../../../shared/catalog/life-cycle.ts';
import { notFound, Problem } from '../../../shared/catalog/problems.ts';
import { CURRENCY } from '../../../shared/domain/money.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { addToLines, type LineOfBasket } from '../basket/lines.ts';
import { pricedMembers, pricesForSale } from '../basket/price.ts';
import { evaluateDiscounts } from '../basket/promotions.ts';
import { beginCheckout, checkoutOf, giveCheckoutUp, settleCheckout } from '../checkout/record.ts';
import { type Basket, baskets, type TillBasket, tillBaskets } from '../collections.ts';
import { basketIdle } from '../due-work.ts';
import { buyerAtTill } from '../till/customer.ts';
import { holdAtStore } from '../till/holds.ts';

type Body = InputOf<typeof putTransactionBasketCall>['body'];

interface Starting {
  readonly transactionId: string;
  readonly basketId: string;
  /** An open one that is taken over; undefined: it is created. */
  readonly open: Basket | undefined;
  readonly lines: readonly LineOfBasket[];
}

export const putTransactionBasketHandler = handle(putTransactionBasketCall)(async ({ params: { transactionId }, body }, scope) => {
  const { work } = scope;
  const existing = await work.findUnique(baskets, 'transaction', transactionId);
  if (existing) return again(existing);
  const basketId = body.basketId ?? basketIdOf(transactionId);
  try {
    return await lockForTill(scope, await starting(work, { transactionId, basketId, body }), body);
  } catch (error) {
    if (!(error instanceof Problem) || !(await giveCheckoutUp(work, basketId))) throw error;
    return error;
  }
});

/** Of a basket that its transaction creates: however often it is asked for, it is the same. */
const basketIdOf = (transactionId: string): string => `bsk_${transactionId.replace(/^ord_/, '')}`;

/** @throws Problem 404, 409 for a basket that is not open, or empty */
async function starting(work: UnitOfWork, asked: { transactionId: string; basketId: string; body: Body }): Promise<Starting> {
  const { transactionId, basketId, body } = asked;
  if (body.lines) {
    const lines = body.lines.map((line, index) => ({ ...line, pointer: `/lines/${index}` }));
    return { transactionId, basketId, open: undefined, lines: addToLines(basketId, [], lines) };
  }
  const open = await work.get(baskets, basketId);
  if (!open) throw notFound('basket', basketId);
  rowFor(basketLifeCycle, open, 'start-transaction');
  if (open.lines.length === 0) {
    throw new Problem('basket_empty', `The basket "${open.id}" has no lines to pay for.`, { objectType: 'basket', id: open.id });
  }
  return { transactionId, basketId, open, lines: open.lines };
}

/** As Checkout Basket: what can refuse comes first, then the stock, then the basket. An open basket has no vouchers to use. */
async function lockForTill(scope: Scope, start: Starting, { storeId, loyaltyId }: Body): Promise<Basket> {
  const { work } = scope;
  const { transactionId, basketId, open } = start;
  const till = await claimOf(work, transactionId, basketId);
  const lines = await pricesForSale(work, start.lines);
  const { customerId, accountId, loyalty, tier } = await buyerAtTill(scope, { loyaltyId, basket: open });
  const attempt = (await checkoutOf(work, basketId))?.attempt ?? 0;
  const shopper = { customerId, tier, loyalty: loyalty.status };
  const discounts = await evaluateDiscounts(scope, { basketId, lines, shopper, attempt });

  const begun = await beginCheckout(work, basketId, open);
  const held = await holdAtStore(scope, begun, { basketId, basketVersion: open?.version ?? 0, locationId: storeId, lines });
  const members = {
    ...pricedMembers(lines, discounts),
    channel: 'pos' as const,
    storeId,
    transactionId,
    customerId,
    loyaltyAccountId: accountId,
    loyalty,
    reservationId: held.hold?.reservationId,
    expiresAt: undefined,
  };
  settleCheckout(work, basketId, held);
  // The till may have given the transaction up meanwhile: then this is refused, and what is held goes back.
  work.expect(tillBaskets, till);
  if (!open) return work.create(baskets, 'start-transaction', { id: basketId, currency: CURRENCY, ...members });
  work.cancel(basketIdle, basketId);
  return work.transition(baskets, open, 'start-transaction', members);
}

/** Notes which basket the transaction gets; committed with the intent. @throws Problem 409 when the till gave it up */
async function claimOf(work: UnitOfWork, transactionId: string, basketId: string): Promise<TillBasket> {
  const found = await work.get(tillBaskets, transactionId);
  if (found?.abandoned) {
    throw new Problem('invalid_state_transition', `The till gave the transaction "${transactionId}" up; start another one.`, {
      objectType: 'basket',
      id: basketId,
      currentState: 'abandoned',
      action: 'start-transaction',
      allowedFrom: ['open'],
    });
  }
  return found ?? work.put(tillBaskets, { id: transactionId, basketId });
}
