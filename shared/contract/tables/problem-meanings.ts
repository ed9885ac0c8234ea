import type { ProblemCode } from '../../catalog/problems.ts';

/** Each problem in words for its reader: the cause, and the remedy. */
export const problemMeanings: Readonly<Record<ProblemCode, readonly [cause: string, remedy: string]>> = {
  malformed_request: [
    'The request cannot be read: its body is not JSON, not UTF-8 or nested too deeply, or a header or the path has the wrong form.',
    'Correct the request. `detail` names the part; `errors` lists headers.',
  ],
  unauthenticated: [
    'The request has no valid credential, or the signature of a webhook is wrong or too old.',
    'Send the scheme and the key that `detail` names. The credentials of a deleted rehearsal are no longer valid.',
  ],
  payment_declined: [
    'The tender, or the capture of its authorisation, was declined. `declineCode` gives the reason. `availableAmount` is the amount that a gift card or a redemption could pay. The payment is kept in the state `failed`.',
    'Use another tender, with a new `Idempotency-Key`.',
  ],
  forbidden: [
    'The credential is valid, but does not allow this: it lacks the scope, or it belongs to another rehearsal.',
    'Use a credential with the scope, or leave `X-Rehearsal` out.',
  ],
  wrong_code: [
    'The code for goods at the counter of a store is another one, or the checkout did not name this order and person. `attemptsLeft` counts down; `lockedUntil` is set after the last.',
    'Ask the customer for the code in `ext.collection-ready`. When it is locked, wait until `lockedUntil`.',
  ],
  outbound_refused: [
    'The estate may not call this address: `OUTBOUND_ALLOW` does not permit it, or it is a link-local or other special address, or a listener of the estate itself.',
    'Register another address, or start the gateway with an `OUTBOUND_ALLOW` that names it.',
  ],
  not_found: [
    'Nothing is at this path, or the rehearsal has no object with this id. `objectType` and `id` name it.',
    'Check the id and the rehearsal: an id of one rehearsal is unknown in another.',
  ],
  unknown_rehearsal: [
    'The rehearsal does not exist: it was never created, was deleted, or ended after it was idle.',
    'Create it with `POST /_control/rehearsals`. `GET /_control/rehearsals` lists those that exist.',
  ],
  method_not_allowed: ['The path exists, but not with this method.', 'Use a method of the header `Allow`.'],
  request_timeout: ['The request did not arrive in time.', 'Send it again, and send its body without a pause.'],
  invalid_state_transition: [
    'The state of the object does not allow this verb. See `currentState`, `action` and `allowedFrom`.',
    'Read the object. [Life cycles](life-cycles.md) lists the verbs of each state. With `retryable: true` another action is under way, such as a checkout, a confirmation or a pending tender: repeat the request when it has ended.',
  ],
  insufficient_stock: [
    'There is less stock than was requested, and nothing was reserved. `skus` has the quantities.',
    'Request fewer units or another SKU, or set the stock with `PUT /_control/stock/{sku}/{locationId}`.',
  ],
  reservation_expired: [
    'The reservation expired or was released. At Confirm Order, the goods are also sold out: the order stays a draft and its authorisations are voided.',
    'Reserve again, or cancel the order. With `retryable: true` there is stock, and the authorisations are still valid: confirm again.',
  ],
  order_not_closed: ['Only a completed order can be returned.', 'Complete the order first: deliver all of its parcels.'],
  return_quantity_exceeded: ['The return has more units than the order has left.', 'Return at most the units that `detail` names.'],
  replacement_quantity_exceeded: [
    'The replacement has more units than were lost or delivered, or some of them are refunded, returned or replaced.',
    'Replace at most the units that `detail` names, or place a new order.',
  ],
  already_enrolled: [
    'The customer is already a member, or the card belongs to another member.',
    'Use the existing account, or another card number.',
  ],
  duplicate_customer: [
    'A customer with this e-mail address or phone number is registered. `detail` names the customer.',
    'Use the registered customer.',
  ],
  capture_exceeds_authorized: ['The amount is higher than the authorised amount.', 'Capture at most the authorised amount.'],
  refund_exceeds_captured: [
    'All refunds together would exceed the captured amount, or the value of the return. `refundableAmount` can still be refunded.',
    'Refund at most `refundableAmount`.',
  ],
  insufficient_points: ['The member has fewer points than requested.', 'Redeem fewer points.'],
  redemption_not_applicable: [
    'Between applications: the redemption was made for another order, basket or customer. Authorize Payment and Add Payment answer `payment_declined` with this `declineCode`.',
    'Redeem points for this order.',
  ],
  payment_incomplete: [
    'The payments do not cover the total. `outstanding` is neither authorised nor captured. `pending` has the payments that await approval.',
    'Authorise the outstanding amount, then confirm again. With `retryable: true` a payment is pending: wait until it is approved or declined.',
  ],
  overpayment: [
    'The payment would exceed `outstanding`, the amount that may still be authorised. It counts payments that await approval, which `pending` has.',
    'Authorise at most the outstanding amount, or leave `amount` out. With `retryable: true` a payment is pending: wait until it is approved or declined.',
  ],
  basket_empty: ['The basket has no lines.', 'Add a line first.'],
  customer_blocked: [
    'The customer is blocked, and cannot check out, order, be enrolled or have an interaction logged.',
    'Unblock the customer with `POST /_control/customers/{id}/unblock`, or use another one.',
  ],
  limit_reached: [
    'The list `list` of the object has `limit` entries, and requests cannot add more. The estate itself still can.',
    'Follow `detail`: for example, refund the rest in one request, or return several units together.',
  ],
  conflicting_repeat: [
    'The object exists already, made by a similar request with other content. `standing` shows the existing one.',
    'Use the existing object, or cancel it first. With `retryable: true` the existing one may still be undone: repeat the request.',
  ],
  idempotency_in_progress: [
    'A request with this `Idempotency-Key` is still running, or its process has died.',
    'Repeat it after `Retry-After` seconds. If the process has died, the key is free by then. Otherwise the repeat gets the first answer.',
  ],
  not_at_rest: [
    'The rehearsal is busy, and a snapshot or fork needs it at rest. `waitingFor` names the open work.',
    'Repeat the request, or remove the fault or end the request that delays the work.',
  ],
  clock_busy: [
    'Another request is advancing the clock of this rehearsal.',
    'Repeat the request after `Retry-After` seconds, or give each test its own rehearsal.',
  ],
  too_many_webhooks: ['The rehearsal has as many registered webhooks as it may have.', 'Delete one, or replace one by using its name.'],
  delivery_not_possible: [
    'The webhook is disabled because its receiver answered 410, or an earlier delivery about the same object comes first.',
    'Register the webhook again, or redeliver the delivery that `detail` names.',
  ],
  too_many_snapshots: ['`MAX_SNAPSHOTS` snapshots are kept.', 'Delete one, replace one by using its name, or raise the variable.'],
  too_many_faults: ['The rehearsal has as many faults as it may have.', 'Delete one, or replace one by using its name.'],
  not_recordable: [
    'What happened in the rehearsal cannot become a scenario: nothing happened, or a part of it is not on record. The detail names the reason.',
    'Reset the rehearsal, repeat the part that you need, and record that.',
  ],
  swapped: [
    'The real system of the retailer takes the place of this application. It does not offer the call, it has no dry run, or it has the data that a snapshot or a fork would need.',
    'Take the step in the real system, or use a rehearsal without the swap.',
  ],
  not_swapped: [
    'The application is not swapped in this rehearsal. Only the real system of a swapped application reports changes.',
    'Create a rehearsal with `swap`, or use the API of the application.',
  ],
  incompatible_world: [
    'Another release of the estate wrote the world of the rehearsal, or the snapshot, and this release cannot use it. It stays as it is.',
    'Delete the rehearsal or the snapshot, or run the release that wrote it. `detail` has both remedies and the first reason.',
  ],
  rehearsal_exists: ['A rehearsal with this name exists.', 'Choose another name, or reset or delete the existing one.'],
  version_mismatch: [
    'The object changed after the version that `If-Match` names. `currentVersion` is the present one.',
    'Read the object again, and repeat the request with the new `ETag` if it still applies.',
  ],
  payload_too_large: ['The body is larger than the limit, which the OpenAPI document names for each operation.', 'Send a smaller body.'],
  unsupported_media_type: ['The body is not JSON, or its encoding is not supported.', 'Send `Content-Type: application/json` in UTF-8.'],
  misdirected_request: ['A page or a document was requested under a host name that is not known.', 'Add the name to `ALLOWED_HOSTS`.'],
  validation_failed: [
    'A member or parameter is missing, unknown or out of range, or contains a secret. `errors` lists each with a JSON pointer.',
    'Correct the members that `errors` lists.',
  ],
  idempotency_key_reused: ['The `Idempotency-Key` was used with another request.', 'Use a new key for a new request.'],
  rate_limited: [
    'More requests than `RATE_LIMIT_PER_ADDRESS` or `RATE_LIMIT_PER_KEY` arrived within a minute.',
    'Wait for `Retry-After` seconds, or raise the limit.',
  ],
  too_many_rehearsals: [
    '`MAX_REHEARSALS` rehearsals exist; `detail` names the one that was idle longest. Or, with state in memory, the rehearsals fill the heap.',
    'Delete rehearsals, or raise the limit.',
  ],
  headers_too_large: ['The headers of the request are too large.', 'Send fewer or shorter headers.'],
  internal_error: [
    'The estate failed. This is a defect of the estate.',
    'Find the `X-Correlation-Id` of the answer in the log, and report it.',
  ],
  dependency_error: [
    'Another application failed, or its connection broke. The work may have been done.',
    'Repeat the request with the same `Idempotency-Key`.',
  ],
  dependency_unavailable: [
    'Another application, or the store, cannot be reached, or Redis refuses the command. `dependency` names it. Nothing was done there.',
    'Repeat the request after `Retry-After` seconds. `detail` has the remedy when Redis needs help. `GET /_control/faults` shows whether a fault is the cause.',
  ],
  too_many_streams: [
    'The gateway process already serves 32 event streams, or 16 of this rehearsal.',
    'Close a stream that nobody reads, or repeat the request after `Retry-After` seconds.',
  ],
  store_full: ['Redis has no memory left. Nothing was changed.', 'Delete rehearsals. Their memory is freed about a minute later.'],
  contention: [
    'Too many requests changed the same object at the same time. Nothing was changed.',
    'Repeat the request after `Retry-After` seconds.',
  ],
  dependency_timeout: [
    'Another application did not answer in time. The work may have been done.',
    'Repeat the request with the same `Idempotency-Key`.',
  ],
  rehearsal_full: [
    'The text of the rehearsal has `bytes` bytes and has reached its `limit`, `MAX_REHEARSAL_BYTES`; or, with state in memory, that `limit` is its share of the memory that is left. Smaller rehearsals may still change. Reading and the control plane still work.',
    'Reset the rehearsal with `POST /_control/reset`, delete it or others, raise the variable, or start the estate with a larger heap or with Redis.',
  ],
};
