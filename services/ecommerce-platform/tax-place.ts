import { z } from 'zod';
import type { Fixtures } from '../../fixtures/files.ts';
import type { TaxPlace } from '../../shared/catalog/tax.ts';
import { defineCollection } from '../../shared/store/collections.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import type { Basket } from './collections.ts';

/** Where each location is, for the tax of goods that a store hands over. */
export const taxPlaces = defineCollection({
  name: 'tax-places',
  reference: true,
  schema: z.object({ id: z.string(), version: z.int(), country: z.string(), region: z.string().optional() }),
});

export const taxPlacesOf = ({ locations }: Fixtures) =>
  locations.map(({ id, address: { country, region } }) => ({ id, version: 1, country, region }));

/** Where a store hands over its goods. It is read only for prices without tax. */
export async function placeOfStore(work: UnitOfWork, locationId: string): Promise<TaxPlace | undefined> {
  if (work.figures.taxIncluded) return undefined;
  const found = await work.get(taxPlaces, locationId);
  return found && { country: found.country, region: found.region };
}

/** Where the goods of a checkout reach the customer: at the address, or in the store of the collection. */
export async function placeOfDelivery(
  work: UnitOfWork,
  { shippingAddress, collection }: Pick<Basket, 'shippingAddress' | 'collection'>,
): Promise<TaxPlace | undefined> {
  if (shippingAddress) return placeOfAddress(shippingAddress);
  return collection && placeOfStore(work, collection.locationId);
}

export const placeOfAddress = ({ country, region }: TaxPlace): TaxPlace => ({ country, region });
