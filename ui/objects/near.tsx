import type { ComponentChildren } from 'preact';
import type { BusinessObject, ObjectType } from '../../rehearsal/call-types.ts';
import type { Nearby } from '../../shared/catalog/nearby.ts';
import { linkHere, type Output } from '../data/data.ts';
import { shortId } from '../kit/kit.ts';

type Item = Output<'list-related-objects'>['items'][number];
type Names = Output<'list-names'>;
type NearItem<Type extends ObjectType> = Omit<Item, 'object'> & { readonly object: BusinessObject<Type> };

/** What belongs to an object: its customer, payments, parcels, products. */
export interface Near extends Nearby {
  of<Type extends ObjectType>(type: Type): readonly NearItem<Type>[];
  readonly names: Names;
  /** The name of the product with a SKU; the SKU when no product has it. */
  name(sku: string): string;
  /** The name of a location, or its id. */
  place(id: string | undefined): string | undefined;
  /** A label that consists of ids and SKUs, with their names: `Galway, Quay Street: Blue stoneware mug`. */
  label(type: string, label: string): string;
  /** The name of a voucher with its code. */
  voucher(code: string): string;
  /** A link to an object, with its name: the number of an order, the name of a customer. */
  link(type: ObjectType, id: string | undefined, words?: string): ComponentChildren;
}

const LABELLED_BY_ID: ReadonlySet<string> = new Set(['fulfillment-order', 'reservation', 'inventory-item']);

/** The related objects of an object, and the names of the rehearsal. */
type Related = Pick<Output<'list-related-objects'>, 'items' | 'pointWorth'> & { readonly names: Names };

export function nearOf({ items, pointWorth, names }: Related): Near {
  const ofType = <Type extends ObjectType>(type: Type) => items.filter((one) => one.type === type) as unknown as readonly NearItem<Type>[];
  const products = new Map(ofType('product').map(({ object }) => [object.sku, object.name]));
  const nameIn = (all: Names['promotions'], id: string | undefined) => all.find((one) => one.id === id)?.name;
  const near: Near = {
    pointWorth,
    of: ofType,
    get: (type, id) => ofType(type).find((one) => one.id === id)?.object,
    names,
    name: (sku) => products.get(sku) ?? sku,
    place: (id) => nameIn(names.locations, id) ?? id,
    label: (type, label) =>
      LABELLED_BY_ID.has(type)
        ? // A label may end a sentence.
          label.replaceAll(/[\w-]+(?:\.+[\w-]+)*/g, (word) => nameIn(names.locations, word) ?? products.get(word) ?? word)
        : label,
    voucher: (code) => {
      const name = nameIn(names.vouchers, code);
      return name === undefined ? code : `${name} (${code})`;
    },
    link: (type, id, words) => {
      if (id === undefined) return null;
      const found = items.find((one) => one.type === type && one.id === id)?.label;
      const label = found && near.label(type, found);
      return (
        <a class="brk" href={linkHere('objects', type, id)} title={`${type}/${id}`}>
          {words ?? label ?? shortId(id)}
        </a>
      );
    },
  };
  return near;
}

/** `12 × Blue stoneware mug, 1 × Oak chair` */
export const goodsInWords = (near: Near, lines: readonly { readonly sku: string; readonly qty: number }[]): string =>
  lines.map(({ sku, qty }) => `${qty} × ${near.name(sku)}`).join(', ');
