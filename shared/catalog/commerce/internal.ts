import { z } from 'zod';
import { defineInternalCall } from '../define.ts';
import { Id } from '../shapes.ts';
import { Basket } from './objects.ts';

export const getBasket = defineInternalCall({
  id: 'get-basket',
  name: 'Get Basket',
  summary: 'Lines and totals, for callers that were given only a basketId.',
  domain: 'commerce',
  type: 'query',
  application: 'ecommerce-platform',
  method: 'GET',
  path: '/internal/baskets/{id}',
  response: Basket,
  problems: ['not_found'],
  callers: ['sim', 'promotion-engine', 'oms'],
});

export const convertBasket = defineInternalCall({
  id: 'convert-basket',
  name: 'Convert Basket',
  summary: 'Turns a locked basket into an order and keeps the first orderId that it was given; a repeat answers that one.',
  domain: 'commerce',
  type: 'action',
  application: 'ecommerce-platform',
  method: 'POST',
  path: '/internal/baskets/{id}/convert',
  request: z.strictObject({ orderId: Id }),
  response: Basket,
  problems: ['not_found', 'invalid_state_transition'],
  callers: ['oms'],
});
