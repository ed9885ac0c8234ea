import { z } from 'zod';
import { Id, Instant, Quantity, Sku } from '../shapes.ts';

/** Which goods a reason is for, and whether the customer has them and may send them back. */
interface Reason {
  readonly of: 'lost' | 'delivered';
  readonly comesBack: boolean;
  readonly meaning: string;
}

export const replacementReasons = {
  lost: { of: 'lost', comesBack: false, meaning: 'the carrier lost the parcel, and its goods are not refunded yet' },
  missing: { of: 'delivered', comesBack: false, meaning: 'the parcel was delivered without the goods' },
  damaged: { of: 'delivered', comesBack: true, meaning: 'the goods arrived damaged' },
  wrong: { of: 'delivered', comesBack: true, meaning: 'other goods arrived in their place' },
} as const satisfies Readonly<Record<string, Reason>>;
export type ReplacementReason = keyof typeof replacementReasons;

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

/** Units of a replacement that have reached the customer, or still may. */
export const servedBy = ({ qty, failedQty }: Pick<z.output<typeof ReplacementLine>, 'qty' | 'failedQty'>): number => qty - failedQty;

type Replacements = readonly Pick<Replacement, 'id' | 'reason' | 'lines'>[];

const linesFor = (replacements: Replacements, lineId: string, of: Reason['of']) =>
  replacements
    .filter(({ reason }) => replacementReasons[reason].of === of)
    .flatMap(({ lines }) => lines.filter(({ orderLineId }) => orderLineId === lineId));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Delivered units of a line that are replaced, or are being replaced. Each delivered unit is replaced once. */
export const replacedOf = (lineId: string, replacements: Replacements = []): number =>
  sum(linesFor(replacements, lineId, 'delivered').map(servedBy));

/** Delivered units of a line whose replacement has not arrived. They cannot be returned for a refund until then. */
export const beingReplacedOf = (lineId: string, replacements: Replacements = []): number =>
  sum(linesFor(replacements, lineId, 'delivered').map((line) => servedBy(line) - line.deliveredQty));

/** Units of a lost parcel that a replacement serves in its place. */
export const replacedInParcel = (fulfillmentOrderId: string, lineId: string, replacements: Replacements = []): number =>
  sum(
    linesFor(replacements, lineId, 'lost').flatMap(({ lostFulfillmentOrderId, qty }) =>
      lostFulfillmentOrderId === fulfillmentOrderId ? [qty] : [],
    ),
  );
