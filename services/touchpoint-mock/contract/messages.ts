import { z } from 'zod';
import type { Alias } from './cases.ts';

/** Begins the description of a field that the source document does not show. */
const OURS = 'Ours (not in the source document):';

// Not multipleOf: validators that divide in binary floating point refuse 10.37 as a multiple of 0.01.
const amount = z
  .number()
  .nonnegative()
  .refine((value) => Number(value.toFixed(2)) === value, 'has more than two decimals');

const DIGEST = /^sha256:[0-9a-f]{64}$/;

const echoedLane = z.string().describe('Echo of the request.');
const echoedBasket = z.string().describe('Echo of the request; the identifier of the example when the request carries none.');

const REJECTIONS = ['UNKNOWN_ITEM', 'DUPLICATE_REF', 'LOYALTY_CARD_AS_ITEM', 'LABEL_QTY_NOT_ONE', 'AGE_RESTRICTED'] as const;
const CARD_STATUSES = ['ACCEPTED', 'REFUSED', 'UNAVAILABLE'] as const;

// The schema has no name, because a reference in OpenAPI 3.0 cannot be nullable.
const Rejection = z
  .strictObject({
    code: z.enum(REJECTIONS).describe(`${OURS} why the line was rejected.`),
    message: z.string().min(1).describe(`${OURS} the same for a person to read.`),
  })
  .describe(`${OURS} the reason of a rejected line.`);

const ResponseLine = z
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
    unitOfMeasure: z.enum(['EA', 'KG']).describe(`${OURS} the unit that unitPrice applies to: a piece or a kilogram.`),
    minAge: z.literal(18).nullable().describe(`${OURS} lowest age of the buyer; null when anybody may buy.`),
    priceSource: z.enum(['CATALOG', 'LABEL']).describe(`${OURS} where the amount comes from.`),
  })
  .describe('A line of the calculated basket, accepted or rejected.');

/** The members of a calculated basket, as both aliases answer it. */
const calculated = {
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

const CalculatedBasket = z
  .strictObject({ touchpointId: echoedLane, basketId: echoedBasket, ...calculated })
  .describe('The calculated basket. A business refusal is a rejected line or a loyalty card status, not an error status.');

const StaleDigest = z
  .strictObject({
    touchpointId: echoedLane,
    basketId: echoedBasket,
    status: z.literal('STALE_DIGEST').describe(`${OURS} the basket is no longer what the digest stands for.`),
    confirmationRequired: z.literal(true).describe(`${OURS} show the basket again and finish with the new digest.`),
    ...calculated,
  })
  .describe('Finish was not carried out: the digest is stale. Apart from the echoed identifiers the shape is ours.');

const Finished = z
  .strictObject({
    touchpointId: echoedLane,
    basketId: echoedBasket,
    status: z.literal('FINISHED').describe(`${OURS} the basket is confirmed.`),
    confirmationRequired: z.literal(false).describe(`${OURS} nothing is left to confirm.`),
    finishId: z.string().min(1).describe(`${OURS} identifies this finish; a repeat answers with the same one.`),
    retrievalCode: z
      .string()
      .regex(/^[0-9]{13}$/)
      .describe(`${OURS} EAN-13; an assisted lane retrieves the basket with it.`),
    total: amount.describe(`${OURS} total of the finished basket, two decimals.`),
    totalSaving: amount.describe(`${OURS} total saving of the finished basket, two decimals.`),
    finishedAt: z.iso.datetime().describe(`${OURS} when the basket was finished; fixed.`),
    repeated: z.boolean().describe(`${OURS} true when the same finish had been accepted before.`),
  })
  .describe('Finish was accepted. Apart from the echoed identifiers the shape is ours.');

const FinishOutcome = z.discriminatedUnion('status', [StaleDigest, Finished]).describe('Outcome of finish.');

const TouchpointRefusal = z
  .strictObject({
    error: z.string().min(1).describe('What happened, for a person to read.'),
    code: z.enum(['TOUCHPOINTS_DISABLED', 'OPERATOR_UNAVAILABLE']).describe(`${OURS} what happened. A denied authorization has no code.`),
  })
  .describe('The application refuses the call; ours, since the source document does not show this body.');

const FinishRefusal = z
  .strictObject({
    error: z.string().min(1).describe('What happened, for a person to read.'),
    code: z.enum(['BASKET_PAID', 'BASKET_CLAIMED']).describe(`${OURS} what happened.`),
    basketId: z.string().describe(`${OURS} echo of the request.`),
  })
  .describe('The basket can no longer be finished; ours, since the source document does not show this body.');

const AuthorizationDenied = z
  .strictObject({ error: z.literal('Touchpoint authorization denied') })
  .describe('Wrong or absent key, wrong scheme, or a lane that the key is not authorised for. Do not retry automatically.');

const SelectorRefused = z
  .strictObject({ error: z.literal('MOCK_ONLY: missing, unknown or incompatible X-Mock-Case selector') })
  .describe('The key and the lane are good, the selector is not.');

const OtherError = z
  .strictObject({ error: z.string().describe('What happened, for a person to read.') })
  .describe('Ours (not in the source document): what the HTTP server and the portal answer outside the contract.');

const RequestLine = z
  .object({
    ref: z.string().describe('Caller reference of the line.'),
    barcode: z.string().describe('Item barcode, price-embedded label code or loyalty card code, depending on the scenario.'),
    qty: z.number().describe('Quantity. For a price-embedded label anything other than one is rejected.'),
  })
  .describe('A line of the basket as the caller sends it.');

const lane = z.string().describe('Lane identifier. Must be a lane that the key is authorised for.');
const basketId = z.string().describe('Basket identifier, owned by the caller.');

const CalculateRequest = z
  .object({
    touchpointId: lane,
    basketId,
    loyaltyCard: z.string().optional().describe('Loyalty card identifier.'),
    lines: z.array(RequestLine).describe('Current lines of the basket; may be empty.'),
    add: RequestLine.optional().describe('One line to add to the basket.'),
  })
  .describe(
    'The fields listed as required are present in every scenario; the source document does not say which are formally required. The mock looks at touchpointId and basketId only.',
  );

const FinishRequest = z
  .object({
    touchpointId: lane,
    basketId,
    loyaltyCard: z.string().optional().describe(`${OURS} loyalty card identifier, when the basket was calculated with one.`),
    lines: z.array(RequestLine).describe(`${OURS} the lines as last calculated, rejected ones left out.`),
    digest: z.string().regex(DIGEST).describe(`${OURS} digest of the last calculate response.`),
    total: amount.describe(`${OURS} total of the last calculate response.`),
  })
  .describe('The source document does not show the fields of finish; all but the two identifiers are ours.');

/**
 * Every message of the contract, under its name in the OpenAPI document. Loading checks the fixtures against these schemas, and the
 * served document is derived from them, so the two agree. A description that starts with "Ours" marks a field that the source document
 * does not show.
 */
export const MESSAGES = {
  RequestLine,
  CalculateRequest,
  FinishRequest,
  ResponseLine,
  CalculatedBasket,
  StaleDigest,
  Finished,
  FinishOutcome,
  TouchpointRefusal,
  FinishRefusal,
  AuthorizationDenied,
  SelectorRefused,
  OtherError,
} as const;

export type MessageName = keyof typeof MESSAGES;

/** The request of each alias. */
export const REQUEST_OF: Readonly<Record<Alias, 'CalculateRequest' | 'FinishRequest'>> = {
  calculate: 'CalculateRequest',
  finish: 'FinishRequest',
};

/** The responses of each alias, by status. A case may have exactly these statuses. */
export const RESPONSES_OF: Readonly<Record<Alias, Readonly<Partial<Record<number, MessageName>>>>> = {
  calculate: { 200: 'CalculatedBasket', 403: 'TouchpointRefusal', 503: 'TouchpointRefusal' },
  finish: { 200: 'FinishOutcome', 409: 'FinishRefusal' },
};
