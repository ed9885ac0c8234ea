import { z } from 'zod';
import { defineInternalCall } from '../define.ts';
import { Id, Money } from '../shapes.ts';
import { Payable } from './objects.ts';

export const getPayable = defineInternalCall({
  id: 'get-payable',
  name: 'Get Payable',
  summary: 'What may be paid for an order, and whether it still may.',
  domain: 'order',
  type: 'query',
  application: 'oms',
  method: 'GET',
  path: '/internal/orders/{id}/payable',
  response: Payable,
  problems: ['not_found'],
  callers: ['payment-hub'],
});

export const ensureCaptured = defineInternalCall({
  id: 'ensure-captured',
  name: 'Ensure Captured',
  summary:
    'Before goods leave: captures what is missing until captured − refunded covers the lines not cancelled, plus shipping; refused while it does not.',
  domain: 'order',
  type: 'action',
  application: 'oms',
  method: 'POST',
  path: '/internal/orders/{id}/ensure-captured',
  request: z.strictObject({ fulfillmentOrderId: Id.describe('What is about to be dispatched.') }),
  response: z.object({
    orderId: Id,
    captured: Money,
    refunded: Money,
    required: Money.describe('What captured − refunded covers.'),
  }),
  problems: [
    'not_found',
    'invalid_state_transition',
    'payment_incomplete',
    'dependency_unavailable',
    'dependency_timeout',
    'dependency_error',
  ],
  callers: ['fms'],
});
