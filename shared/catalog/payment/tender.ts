import { z } from 'zod';
import { TenderType } from './objects.ts';

const withoutToken = new Set<string>(['bnpl', 'cash', 'exchange-credit']);
const token = z.string().min(1).max(128).optional();
const needsToken = { path: ['token'], error: 'This tender needs a token.' };
const hasToken = (tender: { type: string; token?: string | undefined }): boolean =>
  withoutToken.has(tender.type) || tender.token !== undefined;
const noCashToken = { path: ['token'], error: 'Cash has no token; leave it out.' };
const cashIsBare = (tender: { type: string; token?: string | undefined }): boolean => tender.type !== 'cash' || tender.token === undefined;

/** How a customer pays from afar. */
export const DigitalTender = z
  .strictObject({ type: TenderType.exclude(['cash', 'exchange-credit']), token })
  .refine(hasToken, needsToken)
  .meta({ id: 'DigitalTender', description: 'token: of the card, the gift card or the redemption; bnpl needs none.' });

/** How a customer pays at the till. */
export const TillTender = z
  .strictObject({ type: TenderType.exclude(['exchange-credit']), token })
  .refine(hasToken, needsToken)
  .refine(cashIsBare, noCashToken)
  .meta({ id: 'TillTender', description: 'token: of the card, the gift card or the redemption; cash has none.' });

/** Every way of paying, with what only services ask for: an exchange credit. */
export const Tender = z
  .strictObject({ type: TenderType, token })
  .refine(hasToken, needsToken)
  .refine(cashIsBare, noCashToken)
  .meta({ id: 'Tender' });
