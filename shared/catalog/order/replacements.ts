import { z } from 'zod';
import { Id, Instant, Quantity, Sku } from '../shapes.ts';
import { type ReplacementReason, replacementReasons } from './replaced.ts';

const reasonNames = Object.keys(replacementReasons) as [ReplacementReason, ...ReplacementReason[]];

export const ReplacementReasonName = z.enum(reasonNames).meta({
  id: 'ReplacementReason',
  description: `${Object.entries(replacementReasons)
    .map(([name, { meaning }]) => `${name}: ${meaning}.`)
    .join(' ')} Damaged and wrong goods may be sent back: Create Return with the replacementId.`,
});

const units = (meaning: string) => z.int().min(0).describe(meaning);

const ReplacementLine = z
  .object({
    orderLineId: Id,
    sku: Sku,
    qty: Quantity,
    lostFulfillmentOrderId: Id.optional().describe('lost: the fulfillment order whose parcel was lost.'),
    deliveredQty: units('Units that have reached the customer.'),
    failedQty: units('Units that did not reach the customer: short, lost again, or back at the sender. They may be replaced again.'),
    foundQty: z
      .int()
      .min(1)
      .optional()
      .describe(
        'lost: units of the lost parcel that arrived after all, and that the customer keeps because the goods in their place failed. They count as delivered, and are not refunded.',
      ),
  })
  .meta({ id: 'ReplacementLine' });

/** Goods that are sent to the customer, or handed over at a till, in place of others, at no charge. */
export const Replacement = z
  .object({
    id: Id,
    reason: ReplacementReasonName,
    storeId: Id.optional().describe(
      'The store that handed the goods over. Absent: they are sent, or wait at the counter of the collection.',
    ),
    lines: z.array(ReplacementLine),
    createdAt: Instant,
  })
  .meta({ id: 'Replacement' });
export type Replacement = z.output<typeof Replacement>;
