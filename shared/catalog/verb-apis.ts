import type { ApiId } from './apis.ts';
import type { ControlId } from './control/operations.ts';

/**
 * The API that a client calls to make an existing object take a verb. The outside world makes the verbs that an operation of
 * the control plane plays; the estate makes the others. A browser loads this file, so it imports no schemas.
 */
export const verbApis = {
  order: {
    confirm: 'confirm-order-api',
    route: 'route-order-api',
    change: 'change-order-api',
    cancel: 'cancel-order-api',
    replace: 'create-replacement-api',
    'open-return': 'create-return-api',
  },
  payment: {
    capture: 'capture-payment-api',
    void: 'void-payment-api',
    refund: 'refund-payment-api',
    'settle-refund': 'note-refund-result-api',
    'fail-refund': 'note-refund-result-api',
  },
  'fulfillment-order': {
    'start-picking': 'create-picking-order-api',
    pick: 'update-picking-status-api',
    'pick-nothing': 'update-picking-status-api',
    pack: 'update-picking-status-api',
    dispatch: 'dispatch-fulfillment-order-api',
    'hand-over': 'hand-over-collection-api',
    extend: 'extend-collection-api',
  },
  shipment: { label: 'generate-label-api' },
  basket: {
    'add-line': 'add-line-to-basket-api',
    'change-line': 'change-basket-line-api',
    'remove-line': 'remove-basket-line-api',
    checkout: 'checkout-basket-api',
    'change-checkout': 'checkout-basket-api',
    convert: 'create-order-api',
    merge: 'create-basket-api',
    'start-transaction': 'create-transaction-api',
    'cancel-checkout': 'void-transaction-api',
  },
  customer: { register: 'create-customer-api', 'log-interaction': 'log-interaction-api', enrol: 'enroll-loyalty-member-api' },
  reservation: { confirm: 'confirm-reservation-api', release: 'release-reservation-api' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ApiId>>>>;

/** Operations of the control plane that play a verb without declaring it with `plays`: their path has no verb. */
const verbOperations = {
  payment: { dispute: 'open-dispute', 'win-dispute': 'close-dispute', 'lose-dispute': 'close-dispute' },
  product: { change: 'change-product-by-hand' },
  customer: { change: 'change-customer-by-hand' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ControlId>>>>;

export const operationOfVerb = (type: string, verb: string): ControlId | undefined =>
  (verbOperations as Readonly<Record<string, Readonly<Record<string, ControlId>>>>)[type]?.[verb];

export const apiOfVerb = (type: string, verb: string): ApiId | undefined =>
  (verbApis as Readonly<Record<string, Readonly<Record<string, ApiId>>>>)[type]?.[verb];
