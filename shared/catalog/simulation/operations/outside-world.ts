import { z } from 'zod';
import { Product } from '../../commerce/objects.ts';
import { Customer } from '../../customer/objects.ts';
import { moveReturn } from '../../fulfillment/internal.ts';
import { Return } from '../../fulfillment/returns.ts';
import { Shipment } from '../../fulfillment/shipments.ts';
import { countStock } from '../../inventory/internal.ts';
import { InventoryItem } from '../../inventory/objects.ts';
import { defineOperation } from '../define-operation.ts';

export const playScan = defineOperation({
  id: 'play-scan',
  summary: 'Plays the carrier: scans a parcel. The estate gets the scan by signed webhook.',
  method: 'POST',
  path: '/_sim/shipments/{id}/{scan}',
  request: z.strictObject({ location: z.string().min(1).max(120).optional(), message: z.string().min(1).max(200).optional() }),
  response: Shipment,
  problems: ['not_found', 'invalid_state_transition'],
});

export const moveReturnByHand = defineOperation({
  id: 'move-return-by-hand',
  summary: 'Plays policy, store, warehouse and customer service: approve, reject, receive, inspect or write-off a return.',
  method: 'POST',
  path: '/_sim/returns/{id}/{verb}',
  request: moveReturn.request.omit({ verb: true }),
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
  path: '/_sim/products/{id}/{verb}',
  response: Product,
  problems: ['not_found', 'invalid_state_transition'],
});

export const moveCustomerByHand = defineOperation({
  id: 'move-customer-by-hand',
  summary: 'Plays customer service: block or unblock a customer.',
  method: 'POST',
  path: '/_sim/customers/{id}/{verb}',
  response: Customer,
  problems: ['not_found', 'invalid_state_transition'],
});

export const countStockByHand = defineOperation({
  id: 'count-stock-by-hand',
  summary: 'Plays a stock count: sets the units of a SKU on hand at a location.',
  method: 'PUT',
  path: '/_sim/stock/{sku}/{locationId}',
  request: z.strictObject({ onHand: countStock.request.shape.onHand }),
  response: InventoryItem,
  problems: ['not_found', 'insufficient_stock'],
});
