import { z } from 'zod';
import { CHANGE_BYTES } from '../../changes.ts';
import { changeProduct } from '../../commerce/internal.ts';
import { Product, ProductVerb, product } from '../../commerce/objects.ts';
import { changeCustomer } from '../../customer/internal.ts';
import { Customer, CustomerVerb, customer } from '../../customer/objects.ts';
import { moveReturn, SentWebhook } from '../../fulfillment/internal.ts';
import { Return, ReturnVerb, returnObject } from '../../fulfillment/returns.ts';
import { Scan, Shipment, shipment } from '../../fulfillment/shipments.ts';
import { countStock } from '../../inventory/internal.ts';
import { InventoryItem } from '../../inventory/objects.ts';
import { ActionOutcome, changeGiftCard, changePaymentToken } from '../../payment/internal.ts';
import { Payment, payment } from '../../payment/objects.ts';
import { GiftCard, PaymentToken } from '../../payment/reference-data.ts';
import { changePromotion, changeVoucher } from '../../promotion/internal.ts';
import { Promotion, Voucher } from '../../promotion/reference-data.ts';
import { typedText } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';

export const playScan = defineOperation({
  id: 'play-scan',
  summary: 'Plays the carrier: scans a parcel. The estate receives the scan by signed webhook.',
  method: 'POST',
  path: '/_control/shipments/{id}/{scan}',
  request: z.strictObject({
    location: typedText(120).optional().describe('Where the parcel is scanned. The tracking shows it.'),
    message: typedText(200).optional().describe('Text of the carrier in the tracking.'),
  }),
  plays: { object: shipment.type, verbs: Scan.options },
  response: Shipment,
  problems: ['not_found', 'invalid_state_transition'],
});

export const resendScan = defineOperation({
  id: 'resend-scan',
  summary: 'Plays a carrier that reports twice: sends the webhook of the newest scan of a parcel again, with the same webhook-id.',
  method: 'POST',
  path: '/_control/shipments/{id}/webhook/resend',
  response: SentWebhook,
  status: 202,
  problems: ['not_found', 'invalid_state_transition', 'delivery_not_possible'],
});

export const moveReturnByHand = defineOperation({
  id: 'move-return-by-hand',
  summary: 'Plays policy, store, warehouse and customer service: approve, reject, receive, inspect or write-off a return.',
  method: 'POST',
  path: '/_control/returns/{id}/{verb}',
  request: moveReturn.request.omit({ verb: true }),
  plays: { object: returnObject.type, verbs: ReturnVerb.options },
  response: Return,
  problems: [
    'not_found',
    'invalid_state_transition',
    'insufficient_stock',
    'dependency_unavailable',
    'dependency_timeout',
    'dependency_error',
  ],
});

export const moveProductByHand = defineOperation({
  id: 'move-product-by-hand',
  summary: 'Plays assortment management: enrich, submit, rework, approve, suspend, resume, discontinue or archive a product, by id or SKU.',
  method: 'POST',
  path: '/_control/products/{id}/{verb}',
  plays: { object: product.type, verbs: ProductVerb.options },
  response: Product,
  problems: ['not_found', 'invalid_state_transition'],
});

export const changeProductByHand = defineOperation({
  id: 'change-product-by-hand',
  summary:
    'Changes members of a product, by id or SKU, such as its price or text: a merge patch (RFC 7396). The next checkout reads the new price.',
  method: 'PUT',
  path: '/_control/products/{id}',
  request: changeProduct.request,
  body: CHANGE_BYTES,
  response: Product,
  problems: ['not_found', 'invalid_state_transition'],
});

export const moveCustomerByHand = defineOperation({
  id: 'move-customer-by-hand',
  summary: 'Plays customer service: block or unblock a customer.',
  method: 'POST',
  path: '/_control/customers/{id}/{verb}',
  plays: { object: customer.type, verbs: CustomerVerb.options },
  response: Customer,
  problems: ['not_found', 'invalid_state_transition'],
});

export const countStockByHand = defineOperation({
  id: 'count-stock-by-hand',
  summary: 'Plays a stock count: sets the units of a SKU on hand at a location.',
  method: 'PUT',
  path: '/_control/stock/{sku}/{locationId}',
  request: z.strictObject({ onHand: countStock.request.shape.onHand }),
  response: InventoryItem,
  problems: ['not_found', 'insufficient_stock'],
});

export const completePaymentActionByHand = defineOperation({
  id: 'complete-payment-action-by-hand',
  summary: 'Plays the customer at 3-D Secure: a payment that is requires-action is authorised (succeeded), or fails (failed).',
  method: 'POST',
  path: '/_control/payments/{id}/action',
  request: z.strictObject({ outcome: ActionOutcome }),
  plays: { object: payment.type, verbs: ['authenticate', 'fail-authentication'], by: 'outcome' },
  response: Payment,
  problems: ['not_found', 'invalid_state_transition'],
});

export const changePromotionByHand = defineOperation({
  id: 'change-promotion-by-hand',
  summary: 'Changes a promotion by merge patch (RFC 7396), or creates it from all members of its kind. The next evaluation applies it.',
  method: 'PUT',
  path: '/_control/promotions/{id}',
  request: changePromotion.request,
  body: CHANGE_BYTES,
  response: Promotion,
});

export const changeVoucherByHand = defineOperation({
  id: 'change-voucher-by-hand',
  summary:
    'Changes a voucher by merge patch (RFC 7396): its discount, times, limit or uses. The path has its code. A new one needs name, discount, enabled, activeFrom, activeTo and used.',
  method: 'PUT',
  path: '/_control/vouchers/{id}',
  request: changeVoucher.request,
  body: CHANGE_BYTES,
  response: Voucher,
});

export const changeGiftCardByHand = defineOperation({
  id: 'change-gift-card-by-hand',
  summary: 'Sets the balance of a gift card, or creates it. The path has its token.',
  method: 'PUT',
  path: '/_control/gift-cards/{id}',
  request: changeGiftCard.request,
  body: CHANGE_BYTES,
  response: GiftCard,
});

export const changePaymentTokenByHand = defineOperation({
  id: 'change-payment-token-by-hand',
  summary: 'Sets how the simulated provider answers a payment token, by merge patch (RFC 7396), or creates the token.',
  method: 'PUT',
  path: '/_control/payment-tokens/{id}',
  request: changePaymentToken.request,
  body: CHANGE_BYTES,
  response: PaymentToken,
});

export const changeCustomerByHand = defineOperation({
  id: 'change-customer-by-hand',
  summary: 'Changes members of a customer, such as name, contact, addresses or consents: a merge patch (RFC 7396).',
  method: 'PUT',
  path: '/_control/customers/{id}',
  request: changeCustomer.request,
  body: CHANGE_BYTES,
  response: Customer,
  problems: ['not_found', 'duplicate_customer'],
});

export const outsideWorldOperations = [
  playScan,
  resendScan,
  moveReturnByHand,
  moveProductByHand,
  moveCustomerByHand,
  completePaymentActionByHand,
  countStockByHand,
  changeProductByHand,
  changePromotionByHand,
  changeVoucherByHand,
  changeGiftCardByHand,
  changePaymentTokenByHand,
  changeCustomerByHand,
] as const;
