import { expect, test } from '@jest/globals';
import type { BusinessObject, EventObject } from '../../rehearsal/call-types.ts';
import type { CallOutput } from '../../rehearsal/estate-client.ts';
import type { EstateEvent } from '../../rehearsal/estate-event.ts';
import type { DryRun, ProblemBody, ResponseOf, StepReply, Tried } from '../../rehearsal/reply.ts';
import type { apis } from '../../shared/catalog/apis.ts';
import type { OutputOf } from '../../shared/catalog/define.ts';
import type { DryRun as DryRunAnswer } from '../../shared/contract/dry-run.ts';

type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;
type Output<Id extends keyof typeof apis> = OutputOf<(typeof apis)[Id]>;

/** Calls whose errors the type check reports. They never run. */
const held = {
  literal: true satisfies Same<ResponseOf<'POST /orders'>, Output<'create-order-api'>>,
  parameter: true satisfies Same<ResponseOf<`GET /orders/${string}`>, Output<'get-order-api'>>,
  deeper: true satisfies Same<ResponseOf<`POST /orders/${string}/confirm`>, Output<'confirm-order-api'>>,
  value: true satisfies Same<ResponseOf<'GET /inventory/items/mug-blue'>, Output<'get-inventory-api'>>,
  problem: true satisfies Same<StepReply<'POST /orders', 409>['body'], ProblemBody>,
  byId: true satisfies Same<CallOutput<'get-order-api', string>, Output<'get-order-api'>>,
  byPath: true satisfies Same<CallOutput<'GET', '/orders/ord_1?a=b'>, Output<'get-order-api'>>,
  byUnknownPath: true satisfies Same<CallOutput<'GET', string>, unknown>,
  dry: true satisfies Same<CallOutput<'confirm-order-api', string, true>, DryRun<Output<'confirm-order-api'>>>,
  dryByPath: true satisfies Same<CallOutput<'POST', '/orders/ord_1/confirm?dryRun=true'>, DryRun<Output<'confirm-order-api'>>>,
  dryOrNot: true satisfies Same<Tried<string, boolean>, string | DryRun<string>>,
  dryInCatalog: true satisfies Same<DryRun, DryRunAnswer>,
  event: true satisfies Same<EventObject<'payment-captured'>, BusinessObject<'payment'>>,
  additionalEvent: true satisfies Same<EventObject<'ext.order-changed'>, BusinessObject<'order'>>,
  prefixedEvent: true satisfies Same<EstateEvent<'com.unified-commerce.order-created'>, EstateEvent<'order-created'>>,
  stranger: true satisfies Same<ResponseOf<'GET /nowhere'>, unknown>,
  // The type `any` would equal every type.
  specific: false satisfies Same<ResponseOf<'POST /orders'>, string>,
};

test('The type of a reply is the response of the API that the call names', () => expect(Object.keys(held)).toHaveLength(17));
