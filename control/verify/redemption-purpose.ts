import type { z } from 'zod';
import type { Basket as BasketSchema } from '../../shared/catalog/commerce/objects.ts';
import type { Order as OrderSchema } from '../../shared/catalog/order/objects.ts';
import type { Payment as PaymentSchema } from '../../shared/catalog/payment/objects.ts';
import type { Check } from './invariant.ts';
import type { Account, Redemption } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

type Basket = z.output<typeof BasketSchema>;
type Order = z.output<typeof OrderSchema>;
type Payment = z.output<typeof PaymentSchema>;

/** The buyer and the basket of an order or sale. */
interface Purchase {
  readonly basketId: string;
  readonly customerId?: string;
  readonly loyaltyAccountId?: string;
}

/** A redemption may pay only for the order or basket that it was made for, and only for its owner. */
export function checkPurpose({ of, records }: WorldRecords, accounts: readonly Account[], check: Check): void {
  const payments = new Map(of<Payment>('payment').map((payment) => [payment.id, payment]));
  const owners = new Map(accounts.map((account) => [account.id, account]));
  const purchases = new Map<string, Purchase>();
  // Until the OMS has the order of a sale, its basket names the buyer.
  for (const basket of of<Basket>('basket')) {
    if (basket.transactionId !== undefined) purchases.set(basket.transactionId, { ...basket, basketId: basket.id });
  }
  for (const order of of<Order>('order')) purchases.set(order.id, order);
  for (const redemption of records<Redemption>('loyalty-platform', 'redemptions')) {
    const payment = payments.get(redemption.paymentId ?? '');
    const owner = owners.get(redemption.accountId);
    if (!payment || !owner) continue;
    const purchase = purchases.get(payment.orderId);
    const named = `redemption/${redemption.id}: made for`;
    const paid = `and it paid for order/${payment.orderId}`;
    const { orderId, basketId } = redemption;
    check(orderId === undefined || orderId === payment.orderId, `${named} order/${orderId}, ${paid}`);
    if (!purchase) continue;
    check(basketId === undefined || basketId === purchase.basketId, `${named} basket/${basketId}, ${paid}`);
    check(isOwnedBy(purchase, owner), `${named} loyalty-account/${owner.id}, ${paid}, which belongs to another customer`);
  }
}

/** A purchase without customer and account belongs to the bearer of the receipt. */
export function isOwnedBy(
  { customerId, loyaltyAccountId }: Pick<Purchase, 'customerId' | 'loyaltyAccountId'>,
  { id, cardNumber, customerId: owner }: Account,
): boolean {
  if (loyaltyAccountId !== undefined) return loyaltyAccountId === id || loyaltyAccountId === cardNumber;
  return customerId === undefined || customerId === owner;
}
