import { z } from 'zod';
import { amount, DIGEST, echoedBasket, echoedLane, OURS } from './fields.ts';

const REJECTIONS = ['UNKNOWN_ITEM', 'DUPLICATE_REF', 'LOYALTY_CARD_AS_ITEM', 'LABEL_QTY_NOT_ONE', 'AGE_RESTRICTED'] as const;
const CARD_STATUSES = ['ACCEPTED', 'REFUSED', 'UNAVAILABLE'] as const;

// Unnamed in the OpenAPI document, where a reference cannot be nullable.
const Rejection = z
  .strictObject({
    code: z.enum(REJECTIONS).describe(`${OURS} why the line was rejected.`),
    message: z.string().min(1).describe(`${OURS} the same for a person to read.`),
  })
  .describe(`${OURS} the reason of a rejected line.`);

export const ResponseLine = z
  .strictObject({
    ref: z.string().describe('Echo of the request.'),
    barcode: z.string().describe('Echo of the request.'),
    qty: z.number().describe('Echo of the request.'),
    lineId: z.int().describe('Number of the line. Rejected lines have one too.'),
    itemCode: z.string().describe('Code of the item; empty when the item is unknown.'),
    description: z.string().describe('Name of the item; empty when the item is unknown.'),
    weight: z.number().positive().nullable().describe('Kilograms of a weighed item; null for an item sold by the piece.'),
    status: z.enum(['ACCEPTED', 'REJECTED']).describe(`${OURS} whether the line counts. Look at it even on HTTP 200.`),
    rejection: Rejection.nullable().describe(`${OURS} null unless status is REJECTED.`),
    unitPrice: amount.describe(`${OURS} list price per piece or kilogram, two decimals; 0.00 when unknown.`),
    amount: amount.describe(`${OURS} net amount of the line, two decimals; 0.00 when rejected.`),
    saving: amount.describe(`${OURS} what the customer saves on the line, two decimals.`),
    unitOfMeasure: z.enum(['EA', 'KG']).describe(`${OURS} what unitPrice is the price of: a piece or a kilogram.`),
    minAge: z.literal(18).nullable().describe(`${OURS} lowest age of the buyer; null when anybody may buy.`),
    priceSource: z.enum(['CATALOG', 'LABEL']).describe(`${OURS} where the amount comes from.`),
  })
  .describe('A line of the calculated basket, accepted or rejected.');

/** The members of a calculated basket, as both aliases answer it. */
export const calculated = {
  engine: z.string().describe('Identifies the engine that produced the result.'),
  loyaltyCard: z.string().nullable().describe('Null when no card was sent.'),
  loyaltyCardStatus: z
    .enum(CARD_STATUSES)
    .nullable()
    .describe('Null when no card was sent. Ours (not in the source document): the names of the three outcomes.'),
  lines: z.array(ResponseLine).describe('Accepted and rejected lines.'),
  total: amount.describe('Total of the basket in major units, two decimals.'),
  totalSaving: amount.describe('Total saving in major units, two decimals.'),
  digest: z
    .string()
    .regex(DIGEST)
    .describe(
      `${OURS} "sha256:" and the hexadecimal SHA-256 of the canonical JSON (RFC 8785) of touchpointId, basketId, loyaltyCard, the accepted lines (ref, barcode, qty, amount) and total. Fixed like the rest: it belongs to the identifiers of the example, not to echoed ones.`,
    ),
};

export const CalculatedBasket = z
  .strictObject({ touchpointId: echoedLane, basketId: echoedBasket, ...calculated })
  .describe('The calculated basket. A business refusal is a rejected line or a loyalty card status, not an error status.');
