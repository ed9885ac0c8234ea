/** Money in integer minor units. All arithmetic stays in integers, and rounds at most once. */
export interface Money {
  /** Minor units of the currency: 1299 is 12.99 EUR, 1299 JPY or 1.299 BHD. */
  readonly amount: number;
  /** ISO 4217. */
  readonly currency: string;
}

export const money = (amount: number, currency: string): Money => ({ amount, currency });

/** An amount less others of its currency. */
export const minus = ({ amount, currency }: Money, ...others: readonly Money[]): Money => ({
  amount: others.reduce((rest, other) => rest - other.amount, amount),
  currency,
});

const CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Decimals by currency: creating a formatter is slow. */
const knownDecimals = new Map<string, number>();

/** The decimals of a currency of ISO 4217: 2 for EUR, 0 for JPY, 3 for BHD. 2 for other text. */
export function decimalsOf(currency: string): number {
  const known = knownDecimals.get(currency);
  if (known !== undefined || !CODES.has(currency)) return known ?? 2;
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  knownDecimals.set(currency, maximumFractionDigits);
  return maximumFractionDigits;
}

/** Whether a text is a currency of ISO 4217 with 0, 2 or 3 decimals. */
export const isCurrency = (text: string): boolean => CODES.has(text) && [0, 2, 3].includes(decimalsOf(text));

/** An amount in major units, without its currency: `12.99`. */
export const majorUnits = ({ amount, currency }: Money): string => {
  const decimals = decimalsOf(currency);
  return (amount / 10 ** decimals).toFixed(decimals);
};

/** Money in the form for people: `12.99 EUR`. */
export const moneyInWords = (money: Money): string => `${majorUnits(money)} ${money.currency}`;

/**
 * Spreads an amount over weights by largest remainder. Shares are integers, add up to the amount, and differ from the exact share by less
 * than one minor unit. Equal remainders go to the earlier weight. Zero weights get nothing, unless all are zero.
 * @param amount integer, may be negative
 * @param weights integers ≥ 0
 */
export function allocate(amount: number, weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (weights.length === 0) return [];
  if (total === 0) return allocate(amount, Array(weights.length).fill(1));
  const sign = Math.sign(amount);
  const whole = BigInt(Math.abs(amount));
  const shares = weights.map((weight, index) => {
    const product = whole * BigInt(weight);
    return { index, share: Number(product / BigInt(total)), remainder: Number(product % BigInt(total)) };
  });
  let rest = Math.abs(amount) - shares.reduce((sum, { share }) => sum + share, 0);
  for (const entry of [...shares].sort((a, b) => b.remainder - a.remainder || a.index - b.index)) {
    if (rest === 0) break;
    entry.share += 1;
    rest -= 1;
  }
  return shares.map(({ share }) => (share === 0 ? 0 : sign * share));
}

/** `numerator / denominator` of an amount, rounded down: the value of the first n of q units of a line. */
export function floorShare(amount: number, numerator: number, denominator: number): number {
  return Number((BigInt(amount) * BigInt(numerator)) / BigInt(denominator));
}

/** An amount in whole coins: the nearest multiple of the smallest coin, half of it rounded away from zero. @param coin minor units */
export function inCoins(amount: number, coin: number): number {
  const coins = Math.floor((2 * Math.abs(amount) + coin) / (2 * coin));
  return coins === 0 ? 0 : Math.sign(amount) * coins * coin;
}

/** A percentage of an amount, rounded half up. @param percent whole or fractional percent, at most two decimals */
export function percentOf(amount: number, percent: number): number {
  const basisPoints = BigInt(Math.round(percent * 100));
  return Number((BigInt(amount) * basisPoints + 5000n) / 10000n);
}

/** The tax that is added to a price without tax, rounded half up. @param rate percent, at most four decimals: 8.875 for 8.875 % */
export function addedTax(net: number, rate: number): number {
  const millionths = BigInt(Math.round(rate * 10_000));
  return Number((BigInt(net) * millionths + 500_000n) / 1_000_000n);
}

/** The tax contained in a gross price, rounded half up. @param rate percent, at most two decimals: 23 for 23 % */
export function containedTax(gross: number, rate: number): number {
  const basisPoints = BigInt(Math.round(rate * 100));
  const divisor = 10000n + basisPoints;
  return Number((BigInt(gross) * basisPoints * 2n + divisor) / (divisor * 2n));
}
