import type { z } from 'zod';
import type { InputOf } from '../../shared/catalog/define.ts';
import type { createOrder } from '../../shared/catalog/order/apis.ts';
import { MOST_MINOR_UNITS } from '../../shared/catalog/order/given.ts';
import type { Order } from '../../shared/catalog/order/objects.ts';
import { invalid, type Problem } from '../../shared/catalog/problems.ts';
import { allocate, money, moneyInWords } from '../../shared/domain/money.ts';

type Body = InputOf<typeof createOrder>['body'];
type GivenLine = NonNullable<Body['lines']>[number];
type Prices = Pick<Body, 'discount' | 'shipping' | 'tax' | 'taxIncluded' | 'taxes' | 'total'> & { readonly lines: readonly GivenLine[] };
type PricedLine = Pick<z.output<typeof Order>['lines'][number], 'sku' | 'qty' | 'unitPrice' | 'discount' | 'tax' | 'taxRate' | 'lineTotal'>;

/** The prices of an order that another system has calculated. */
interface GivenPrices {
  readonly lines: readonly PricedLine[];
  readonly totals: z.output<typeof Order>['totals'];
}

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0);

/**
 * Checks given prices to the minor unit, whose currency the pipeline has checked, and spreads what is given for the whole order over its lines. Nothing is calculated again: an amount
 * that does not fit the others is refused.
 * @throws Problem `validation_failed` that names the member, the expected amount and the remedy
 */
export function givenPrices(prices: Prices, currency: string): GivenPrices {
  const inWords = (amount: number): string => moneyInWords(money(amount, currency));
  refuseTwins(prices.lines);
  const netOf = prices.lines.map((line, index) => netOfLine(line, index, inWords));
  const discount = prices.discount?.amount ?? 0;
  const net = sumOf(netOf);
  if (discount > net) {
    const detail = `The discount of the order is ${inWords(discount)}, and its lines cost ${inWords(net)}: give at most that.`;
    throw invalid('/discount/amount', 'exceeds_lines', detail);
  }
  const shares = allocate(discount, netOf);
  const afterDiscounts = netOf.map((amount, index) => amount - (shares[index] ?? 0));
  const shipping = prices.shipping?.amount ?? 0;
  refuseMixedTaxes(prices);
  const { taxes, tax } = taxesOf(prices, { lineTotals: afterDiscounts, shipping }, inWords);
  const isAdded = prices.taxIncluded === false;
  const added = isAdded ? tax : 0;
  const expected = net - discount + shipping + added;
  if (expected > MOST_MINOR_UNITS) throw tooMuch('/total/amount', `The order adds up to ${inWords(expected)}`, inWords);
  const total = prices.total?.amount ?? 0;
  if (total !== expected) {
    const plusTax = isAdded ? `, and ${inWords(added)} of tax` : '';
    const sum = `${inWords(net)} for the lines after their discounts, less ${inWords(discount)} for the whole order, plus ${inWords(shipping)} for shipping${plusTax}, are ${inWords(expected)}`;
    throw invalid('/total/amount', 'not_the_sum', `The total is ${inWords(total)}, but ${sum}. Correct the member that is wrong.`);
  }
  if (isAdded) refuseOtherRates(prices, { nets: afterDiscounts, taxes, tax, shipping }, inWords);
  const shippingTax = tax - sumOf(taxes);
  return {
    lines: prices.lines.map(({ sku, qty, unitPrice, discount: ofLine, taxRate }, index) => ({
      sku,
      qty,
      unitPrice,
      discount: money((ofLine?.amount ?? 0) + (shares[index] ?? 0), currency),
      tax: money(taxes[index] ?? 0, currency),
      taxRate,
      lineTotal: money((afterDiscounts[index] ?? 0) + (isAdded ? (taxes[index] ?? 0) : 0), currency),
    })),
    totals: {
      subtotal: money(sumOf(prices.lines.map(grossOf)), currency),
      discount: money(sumOf(prices.lines.map(({ discount: ofLine }) => ofLine?.amount ?? 0)) + discount, currency),
      shipping: money(shipping, currency),
      tax: money(tax, currency),
      total: money(total, currency),
      ...(isAdded && {
        taxIncluded: false as const,
        ...(shippingTax > 0 && { shippingTax: money(shippingTax, currency) }),
        taxes: (prices.taxes ?? []).toSorted((one, other) => other.rate - one.rate),
      }),
    },
  };
}

/** Tax that is added has a rate and an amount at each line. Tax that is included has no rate. */
function refuseMixedTaxes({ lines, taxIncluded }: Prices): void {
  for (const [index, { tax, taxRate }] of lines.entries()) {
    if (taxIncluded !== false && taxRate !== undefined) {
      const detail = 'Prices with tax have no rate that is added. Leave it out, or give taxIncluded false.';
      throw invalid(`/lines/${index}/taxRate`, 'unexpected', detail);
    }
    if (taxIncluded !== false) continue;
    if (taxRate === undefined) throw invalid(`/lines/${index}/taxRate`, 'tax_needed', 'Prices are without tax: give the rate of the line.');
    if (tax === undefined)
      throw invalid(`/lines/${index}/tax`, 'tax_needed', 'Prices are without tax: give the tax that is added to the line.');
  }
}

interface Added {
  /** Minor units of each line after all discounts, without tax. */
  readonly nets: readonly number[];
  readonly taxes: readonly number[];
  readonly tax: number;
  readonly shipping: number;
}

/** The given taxes by rate cover the lines and the shipping, to the last minor unit. */
function refuseOtherRates({ lines, taxes: given = [] }: Prices, { nets, taxes, tax, shipping }: Added, inWords: InWords): void {
  for (const [index, { rate, ...row }] of given.entries()) {
    if (given.findIndex((one) => one.rate === rate) < index)
      throw invalid(`/taxes/${index}/rate`, 'repeated', `The rate of ${rate} % is listed twice; list it once.`);
    const ofRate = (amounts: readonly number[]): number => sumOf(amounts.filter((_, line) => lines[line]?.taxRate === rate));
    for (const [member, least] of [['taxable', ofRate(nets)] as const, ['tax', ofRate(taxes)] as const]) {
      if (row[member].amount >= least) continue;
      const detail = `It is ${inWords(row[member].amount)}, and the lines with ${rate} % have ${inWords(least)}: give at least that.`;
      throw invalid(`/taxes/${index}/${member}/amount`, 'not_the_sum', detail);
    }
  }
  const unlisted = lines.findIndex(({ taxRate }) => !given.some(({ rate }) => rate === taxRate));
  if (unlisted >= 0) {
    const detail = `The taxes of the order have no rate of ${lines[unlisted]?.taxRate} %: list it, with the goods of this line.`;
    throw invalid(`/lines/${unlisted}/taxRate`, 'unlisted', detail);
  }
  const sums = [
    ['taxable', sumOf(given.map((row) => row.taxable.amount)), sumOf(nets) + shipping, 'goods and shipping without tax are'],
    ['tax', sumOf(given.map((row) => row.tax.amount)), tax, 'the tax of the order is'],
  ] as const;
  for (const [member, sum, expected, what] of sums) {
    if (sum === expected) continue;
    const detail = `The ${member} amounts add up to ${inWords(sum)}, and ${what} ${inWords(expected)}. Correct the member that is wrong.`;
    throw invalid('/taxes', 'not_the_sum', detail);
  }
}

const grossOf = ({ qty, unitPrice }: GivenLine): number => qty * unitPrice.amount;

function refuseTwins(lines: readonly GivenLine[]): void {
  const first = new Map<string, number>();
  for (const [index, { sku }] of lines.entries()) {
    const twin = first.get(sku);
    if (twin !== undefined) {
      const detail = `The line ${twin + 1} has ${sku} too. Give each SKU one line with all its units; different prices of them go into its discount.`;
      throw invalid(`/lines/${index}/sku`, 'duplicate_sku', detail);
    }
    first.set(sku, index);
  }
}

type InWords = (amount: number) => string;

const tooMuch = (pointer: string, what: string, inWords: InWords): Problem =>
  invalid(pointer, 'too_big', `${what}; at most ${inWords(MOST_MINOR_UNITS)} are possible. Split the order.`);

/** @returns qty × unitPrice − discount of a line, in minor units */
function netOfLine(line: GivenLine, index: number, inWords: InWords): number {
  const { sku, qty, unitPrice, discount, lineTotal } = line;
  const gross = grossOf(line);
  const priced = `${qty} × ${sku} at ${inWords(unitPrice.amount)}`;
  if (gross > MOST_MINOR_UNITS) throw tooMuch(`/lines/${index}/unitPrice/amount`, `${priced} are too much for one line`, inWords);
  const off = discount?.amount ?? 0;
  if (off > gross) {
    const detail = `The discount is ${inWords(off)}, and ${priced} are ${inWords(gross)}: give at most that.`;
    throw invalid(`/lines/${index}/discount/amount`, 'exceeds_line', detail);
  }
  const net = gross - off;
  if (lineTotal !== undefined && lineTotal.amount !== net) {
    const detail = `The lineTotal is ${inWords(lineTotal.amount)}, but ${priced}, less ${inWords(off)}, are ${inWords(net)}. Correct it, or leave it out. A discount on the whole order does not lower it.`;
    throw invalid(`/lines/${index}/lineTotal/amount`, 'not_the_sum', detail);
  }
  return net;
}

/** The tax of each line and of the order. Lines without one share what the order has beyond the taxes of the others. */
function taxesOf(
  { lines, tax: ofOrder, taxIncluded }: Prices,
  { lineTotals, shipping }: { readonly lineTotals: readonly number[]; readonly shipping: number },
  inWords: InWords,
): { readonly taxes: readonly number[]; readonly tax: number } {
  for (const [index, { tax }] of lines.entries()) {
    const most = lineTotals[index] ?? 0;
    if (tax === undefined || tax.amount <= most) continue;
    const detail = `The tax is ${inWords(tax.amount)}, and the line costs ${inWords(most)} after all discounts${taxIncluded === false ? ': give at most that' : ', tax included: give the tax that is contained in it'}.`;
    throw invalid(`/lines/${index}/tax/amount`, 'exceeds_line', detail);
  }
  const given = sumOf(lines.map(({ tax }) => tax?.amount ?? 0));
  const tax = ofOrder?.amount ?? given;
  const openLines = lines.map((line, index) => (line.tax === undefined ? (lineTotals[index] ?? 0) : 0));
  const most = given + sumOf(openLines) + shipping;
  if (tax < given || tax > most) {
    const detail =
      tax < given
        ? `The tax of the order is ${inWords(tax)}, and the taxes of its lines add up to ${inWords(given)}: give at least that, or leave it out.`
        : `The tax of the order is ${inWords(tax)}. Its lines and its shipping have at most ${inWords(most)}: correct the taxes of the lines, or this one.`;
    throw invalid('/tax/amount', 'not_the_sum', detail);
  }
  const rest = tax - given;
  const shares = rest === 0 ? [] : allocate(rest, [...openLines, shipping]);
  return { taxes: lines.map(({ tax: ofLine }, index) => ofLine?.amount ?? shares[index] ?? 0), tax };
}
