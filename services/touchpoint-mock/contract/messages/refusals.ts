import { z } from 'zod';
import { OURS } from './fields.ts';

export const TouchpointRefusal = z
  .strictObject({
    error: z.string().min(1).describe('What happened, for a person to read.'),
    code: z.enum(['TOUCHPOINTS_DISABLED', 'OPERATOR_UNAVAILABLE']).describe(`${OURS} what happened. A denied authorization has no code.`),
  })
  .describe('The application refuses the call; ours, since the source document does not show this body.');

export const FinishRefusal = z
  .strictObject({
    error: z.string().min(1).describe('What happened, for a person to read.'),
    code: z.enum(['BASKET_PAID', 'BASKET_CLAIMED']).describe(`${OURS} what happened.`),
    basketId: z.string().describe(`${OURS} echo of the request.`),
  })
  .describe('The basket can no longer be finished; ours, since the source document does not show this body.');

export const AuthorizationDenied = z
  .strictObject({ error: z.literal('Touchpoint authorization denied') })
  .describe('Wrong or absent key, wrong scheme, or a lane that the key is not authorised for. Do not retry automatically.');

export const SelectorRefused = z
  .strictObject({ error: z.literal('MOCK_ONLY: missing, unknown or incompatible X-Mock-Case selector') })
  .describe('The key and the lane are good, the selector is not.');

export const OtherError = z
  .strictObject({ error: z.string().describe('What happened, for a person to read.') })
  .describe('Ours (not in the source document): what the HTTP server and the portal answer outside the contract.');
