import type { Application } from './applications.ts';
import { byId } from './by-id.ts';
import { commerceApis } from './commerce/apis.ts';
import { customerApis } from './customer/apis.ts';
import { fulfillmentApis } from './fulfillment/apis.ts';
import { inventoryApis } from './inventory/apis.ts';
import { loyaltyApis } from './loyalty/apis.ts';
import { orderApis } from './order/apis.ts';
import { paymentApis } from './payment/apis.ts';
import { promotionApis } from './promotion/apis.ts';

/** The public APIs by id. Routes, clients, documents and tests derive from this list. */
export const apis = byId([
  ...commerceApis,
  ...customerApis,
  ...fulfillmentApis,
  ...inventoryApis,
  ...loyaltyApis,
  ...orderApis,
  ...paymentApis,
  ...promotionApis,
]);

export type ApiId = keyof typeof apis;

/** Whether an API receives signed webhooks. */
export const isSignedApi = (id: string): boolean => apis[id as ApiId]?.auth === 'signature';

/** Ids of the calls in a record that an application owns. */
export type OwnedBy<App extends Application, Calls extends Record<string, { readonly application: Application }>> = {
  [Id in keyof Calls]: Calls[Id]['application'] extends App ? Id : never;
}[keyof Calls];

export type IdsOf<App extends Application> = OwnedBy<App, typeof apis>;
