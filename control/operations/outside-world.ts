import { z } from 'zod';
import { changeProduct, moveProduct } from '../../shared/catalog/commerce/internal.ts';
import { ProductVerb } from '../../shared/catalog/commerce/objects.ts';
import * as declared from '../../shared/catalog/control/operations/outside-world.ts';
import { changeCustomer, moveCustomer } from '../../shared/catalog/customer/internal.ts';
import { CustomerVerb } from '../../shared/catalog/customer/objects.ts';
import type { InputOf } from '../../shared/catalog/define.ts';
import { moveReturn, resendScanWebhook, scanShipment } from '../../shared/catalog/fulfillment/internal.ts';
import { ReturnVerb } from '../../shared/catalog/fulfillment/returns.ts';
import { Scan } from '../../shared/catalog/fulfillment/shipments.ts';
import { countStock } from '../../shared/catalog/inventory/internal.ts';
import { changeGiftCard, changePaymentToken, completePaymentAction } from '../../shared/catalog/payment/internal.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import { changePromotion, changeVoucher } from '../../shared/catalog/promotion/internal.ts';
import { Sku } from '../../shared/catalog/shapes.ts';
import { productNames } from '../objects/related-objects.ts';
import { operate } from '../operate.ts';

export const playScan = operate(declared.playScan)(async ({ params: { id, scan }, body }, scope) =>
  scope.callFromOutside(scope, scanShipment, { params: { id }, body: { ...body, scan: parseVerb(Scan, scan, 'A parcel') } }),
);

export const resendScan = operate(declared.resendScan)(async ({ params }, scope) =>
  scope.callFromOutside(scope, resendScanWebhook, { params }),
);

export const moveReturnByHand = operate(declared.moveReturnByHand)(async ({ params: { id, verb: sent }, body }, scope) => {
  const verb = parseVerb(ReturnVerb, sent, 'A return');
  for (const [member, of] of Object.entries(MEMBER_OF)) {
    if (Object.hasOwn(body, member) && verb !== of)
      throw invalid(`/${member}`, 'not_of_verb', `Only ${of} takes this member; leave it out.`);
  }
  return scope.callFromOutside(scope, moveReturn, { params: { id }, body: { ...body, verb } });
});

/** The verb that takes each member of the body. */
const MEMBER_OF = { reason: 'reject', lines: 'inspect' } as const satisfies Partial<
  Record<keyof InputOf<typeof moveReturn>['body'], z.output<typeof ReturnVerb>>
>;

export const moveProductByHand = operate(declared.moveProductByHand)(async ({ params: { id, verb } }, scope) =>
  scope.callFromOutside(scope, moveProduct, { params: { id }, body: { verb: parseVerb(ProductVerb, verb, 'A product') } }),
);

export const changeProductByHand = operate(declared.changeProductByHand)(async ({ params, body }, scope) =>
  scope.callFromOutside(scope, changeProduct, { params, body }),
);

export const moveCustomerByHand = operate(declared.moveCustomerByHand)(async ({ params: { id, verb } }, scope) =>
  scope.callFromOutside(scope, moveCustomer, { params: { id }, body: { verb: parseVerb(CustomerVerb, verb, 'A customer') } }),
);

export const completePaymentActionByHand = operate(declared.completePaymentActionByHand)(
  async ({ params: { id }, body: { outcome } }, scope) =>
    scope.callFromOutside(scope, completePaymentAction, { params: { id }, body: { outcome } }),
);

export const countStockByHand = operate(declared.countStockByHand)(async ({ params: { sku, locationId }, body: { onHand } }, scope) =>
  scope.callFromOutside(scope, countStock, { params: { sku }, body: { locationId, onHand } }),
);

export const changeVoucherByHand = operate(declared.changeVoucherByHand)(async ({ params, body }, scope) =>
  scope.callFromOutside(scope, changeVoucher, { params, body }),
);

export const changeGiftCardByHand = operate(declared.changeGiftCardByHand)(async ({ params, body }, scope) =>
  scope.callFromOutside(scope, changeGiftCard, { params, body }),
);

export const changePaymentTokenByHand = operate(declared.changePaymentTokenByHand)(
  async ({ params, body }, scope) => (await scope.callFromOutside(scope, changePaymentToken, { params, body })).rule,
);

export const changeCustomerByHand = operate(declared.changeCustomerByHand)(async ({ params, body }, scope) =>
  scope.callFromOutside(scope, changeCustomer, { params, body }),
);

/** The Promotion Engine has no products, so SKUs are checked here. It refuses a list that has other values. */
export const changePromotionByHand = operate(declared.changePromotionByHand)(async ({ params, body }, scope) => {
  const { worlds, world, objects } = scope;
  const skus = z.array(Sku).safeParse(body['skus']).data ?? [];
  const known = await productNames(worlds, world, objects, skus);
  const unknown = skus.findIndex((sku) => !known.has(sku));
  if (unknown >= 0) throw invalid(`/skus/${unknown}`, 'unknown_sku', `There is no product "${skus[unknown]}".`);
  return (await scope.callFromOutside(scope, changePromotion, { params, body })).rule;
});

/** @throws Problem not_found that lists the verbs of the object */
function parseVerb<T extends string>(verbs: z.ZodType<T> & { readonly options: readonly T[] }, sent: string, subject: string): T {
  const verb = verbs.safeParse(sent);
  if (verb.success) return verb.data;
  throw new Problem('not_found', `${subject} cannot be made to ${sent}; it can be made to ${verbs.options.join(', ')}.`);
}
