import { z } from 'zod';
import { Country } from './country.ts';

/*
 * Tax that is added to prices without tax. The rate of a line follows from its place, which is where the goods go or where they are handed
 * over, and from the category of its product.
 */

/** The category of a product that names none. */
const STANDARD = 'standard';

export const TaxCategory = z
  .string()
  .regex(/^[a-z0-9-]{1,40}$/, 'This must be at most 40 lower-case letters, digits and hyphens.')
  .meta({ id: 'TaxCategory', example: 'food' });

const Region = z.string().trim().min(1).max(80);

const MOST_DECIMALS = 4;
const SCALE = 10 ** MOST_DECIMALS;

const TaxRate = z
  .strictObject({
    country: Country,
    region: Region.optional().describe('As addresses write it, such as CA. Case does not matter. Default: the whole country.'),
    category: TaxCategory.default(STANDARD),
    rate: z
      .number()
      .min(0)
      .max(100)
      .refine((rate) => Math.abs(rate * SCALE - Math.round(rate * SCALE)) < 1e-6, `This must have at most ${MOST_DECIMALS} decimals.`)
      .describe('Percent that is added.'),
  })
  .meta({ id: 'TaxRate' });
export type TaxRate = z.output<typeof TaxRate>;

/** The most rates of a retailer. Each application has them all. */
const MOST_RATES = 200;

export const TaxRates = z
  .array(TaxRate)
  .max(MOST_RATES)
  .superRefine((rates, context) => {
    const first = new Map<string, number>();
    for (const [index, { category, rate: _rate, ...place }] of rates.entries()) {
      const key = keyOf(place, category);
      const twin = first.get(key);
      if (twin === undefined) first.set(key, index);
      else {
        const message = `The rate ${twin + 1} has this place and category too. Give each place and category one rate.`;
        context.addIssue({ code: 'custom', path: [index], message, params: { code: 'duplicate' } });
      }
    }
  });

/** Where a sale is taxed. */
export const TaxPlace = z
  .strictObject({ country: Country, region: Region.optional() })
  .meta({ id: 'TaxPlace', description: 'A country, and its state, province or county.' });
export type TaxPlace = z.output<typeof TaxPlace>;

const keyOf = ({ country, region }: TaxPlace, category: string): string => `${country}|${region?.toLowerCase() ?? ''}|${category}`;

/** What a product adds to the choice of its rate. */
interface Taxed {
  readonly taxCategory?: string;
  /** Percent, where no rate applies. */
  readonly taxRate: number;
}

/** Finds the rate of a product in a place: of its region, else of its country, else of the product itself. */
export function ratesAt(rates: readonly TaxRate[], place: TaxPlace): (product: Taxed) => number {
  const byKey = new Map(rates.map((one) => [keyOf(one, one.category), one.rate]));
  const { country, region } = place;
  return ({ taxCategory = STANDARD, taxRate }) =>
    byKey.get(keyOf({ country, region }, taxCategory)) ?? byKey.get(keyOf({ country }, taxCategory)) ?? taxRate;
}
