import { CURRENCY, money, moneyInWords } from '../domain/money.ts';

/** Price of each shipping method, in minor units; our choice. */
export const SHIPPING_PRICES = { STANDARD: 490, EXPRESS: 990 } as const;

/** Shipping is free from this value of the goods (subtotal − discount, minor units); our choice. */
export const FREE_SHIPPING_FROM = 5_000;

const inWords = (amount: number): string => moneyInWords(money(amount, CURRENCY));

/** `STANDARD costs 4.90 EUR, EXPRESS 9.90 EUR; both are free …` */
export const shippingInWords = `STANDARD costs ${inWords(SHIPPING_PRICES.STANDARD)}, EXPRESS ${inWords(SHIPPING_PRICES.EXPRESS)}; both are free from ${inWords(FREE_SHIPPING_FROM)} of goods after discounts.`;
