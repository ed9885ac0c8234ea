import type { z } from 'zod';
import { basket, product } from './commerce/objects.ts';
import { customer } from './customer/objects.ts';
import type { ObjectDefinition } from './define-object.ts';
import { fulfillmentOrder } from './fulfillment/fulfillment-orders.ts';
import { returnObject } from './fulfillment/returns.ts';
import { shipment } from './fulfillment/shipments.ts';
import { inventoryItem, reservation } from './inventory/objects.ts';
import { loyaltyAccount } from './loyalty/objects.ts';
import { order } from './order/objects.ts';
import { payment } from './payment/objects.ts';

const listed = [
  basket,
  product,
  customer,
  fulfillmentOrder,
  shipment,
  returnObject,
  reservation,
  inventoryItem,
  loyaltyAccount,
  order,
  payment,
] as const;

type ListedObject = (typeof listed)[number];

/** `fulfillment-order` */
export type ObjectType = ListedObject['type'];
/** A business object, as APIs return it and events carry it. */
export type BusinessObject<Type extends ObjectType> = z.output<Extract<ListedObject, { readonly type: Type }>['schema']>;

/** What `id` of a unit of work creates ids for: business objects, and an interaction, a redemption, a replacement or a request, which are not business objects. */
export type IdPrefix = NonNullable<ListedObject['idPrefix']> | 'int' | 'rdm' | 'rpl' | 'req';

export const objects: readonly ObjectDefinition[] = listed;
