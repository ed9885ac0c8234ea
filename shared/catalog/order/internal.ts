import { defineInternalCall } from '../define.ts';
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
