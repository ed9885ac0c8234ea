import type { ComponentChildren } from 'preact';
import type { BusinessObject, ObjectType } from '../../rehearsal/call-types.ts';
import type { Nearby } from '../../shared/catalog/obstacles.ts';
import { type Output, rehearsalLink } from '../data/data.ts';
import { shortId } from '../kit/kit.ts';

type Item = Output<'list-related-objects'>['items'][number];
export type NearItem<Type extends ObjectType> = Omit<Item, 'object'> & { readonly object: BusinessObject<Type> };

/** What belongs to an object: its customer, payments, parcels, products. */
export interface Near extends Nearby {
  readonly rehearsal: string;
  of<Type extends ObjectType>(type: Type): readonly NearItem<Type>[];
  /** The name of the product with a SKU; the SKU when no product has it. */
  name(sku: string): string;
  /** A link to an object, with its name: the number of an order, the name of a customer. */
  link(type: ObjectType, id: string | undefined, words?: string): ComponentChildren;
}

export function nearOf(rehearsal: string, { items, pointWorth }: Pick<Output<'list-related-objects'>, 'items' | 'pointWorth'>): Near {
  const ofType = <Type extends ObjectType>(type: Type) => items.filter((one) => one.type === type) as unknown as readonly NearItem<Type>[];
  const names = new Map(ofType('product').map(({ object }) => [object.sku, object.name]));
  return {
    rehearsal,
    pointWorth,
    of: ofType,
    get: (type, id) => ofType(type).find((one) => one.id === id)?.object,
    name: (sku) => names.get(sku) ?? sku,
    link: (type, id, words) => {
      if (id === undefined) return null;
      const label = items.find((one) => one.type === type && one.id === id)?.label;
      return (
        <a class="brk" href={rehearsalLink(rehearsal, 'objects', type, id)} title={`${type}/${id}`}>
          {words ?? label ?? shortId(id)}
        </a>
      );
    },
  };
}

/** The payments, fulfillment orders or returns of an order, as the page lists them. */
export const ofOrder = <Type extends 'payment' | 'fulfillment-order' | 'return'>(near: Near, type: Type, orderId: string) =>
  near.of(type).filter(({ object }) => (object as { readonly orderId: string }).orderId === orderId);

/** `12 × Blue stoneware mug, 1 × Oak chair` */
export const goodsInWords = (near: Near, lines: readonly { readonly sku: string; readonly qty: number }[]): string =>
  lines.map(({ sku, qty }) => `${qty} × ${near.name(sku)}`).join(', ');
