import { z } from 'zod';
import { amount, DIGEST, OURS } from './fields.ts';

export const RequestLine = z
  .object({
    ref: z.string().describe('Caller reference of the line.'),
    barcode: z.string().describe('Item barcode, price-embedded label code or loyalty card code, depending on the scenario.'),
    qty: z.number().describe('Quantity. For a price-embedded label anything other than one is rejected.'),
  })
  .describe('A line of the basket as the caller sends it.');

const lane = z.string().describe('Lane identifier. Must be a lane that the key is authorised for.');
const basketId = z.string().describe('Basket identifier, owned by the caller.');

export const CalculateRequest = z
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

export const FinishRequest = z
  .object({
    touchpointId: lane,
    basketId,
    loyaltyCard: z.string().optional().describe(`${OURS} loyalty card identifier, when the basket was calculated with one.`),
    lines: z.array(RequestLine).describe(`${OURS} the lines as last calculated, rejected ones left out.`),
    digest: z.string().regex(DIGEST).describe(`${OURS} digest of the last calculate response.`),
    total: amount.describe(`${OURS} total of the last calculate response.`),
  })
  .describe('The source document does not show the fields of finish; all but the two identifiers are ours.');
