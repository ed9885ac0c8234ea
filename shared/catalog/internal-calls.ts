import type { OwnedBy } from './apis.ts';
import type { Application } from './applications.ts';
import { byId } from './by-id.ts';
import { commerceInternalCalls } from './commerce/internal.ts';
import { customerInternalCalls } from './customer/internal.ts';
import { fulfillmentInternalCalls } from './fulfillment/internal.ts';
import { inventoryInternalCalls } from './inventory/internal.ts';
import { loyaltyInternalCalls } from './loyalty/internal.ts';
import { orderInternalCalls } from './order/internal.ts';
import { paymentInternalCalls } from './payment/internal.ts';
import { promotionInternalCalls } from './promotion/internal.ts';

/** Calls between applications by id. The gateway has no routes for them. */
export const internalCalls = byId([
  ...commerceInternalCalls,
  ...customerInternalCalls,
  ...inventoryInternalCalls,
  ...fulfillmentInternalCalls,
  ...loyaltyInternalCalls,
  ...orderInternalCalls,
  ...paymentInternalCalls,
  ...promotionInternalCalls,
]);

export type InternalId = keyof typeof internalCalls;

export type InternalIdsOf<App extends Application> = OwnedBy<App, typeof internalCalls>;
