import { z } from 'zod';
import { type MemberRule, TenderToken, withRules } from '../shapes.ts';
import { TenderType } from './objects.ts';

const token = TenderToken.optional();
const TOKEN_RULES: readonly MemberRule[] = [
  { when: { member: 'type', is: ['card', 'gift-card', 'loyalty'] }, needs: 'token', error: 'This tender needs a token.' },
  { when: { member: 'type', is: ['cash'] }, refuses: 'token', error: 'Cash has no token; leave it out.' },
];

/** Tender of a customer who pays online. */
export const DigitalTender = withRules(
  z.strictObject({ type: TenderType.exclude(['cash', 'exchange-credit']), token }),
  TOKEN_RULES.filter(({ needs }) => needs !== undefined),
).meta({ id: 'DigitalTender', description: 'token: of the card, the gift card or the redemption. bnpl needs none.' });

/** Tender of a customer at the till. */
export const TillTender = withRules(z.strictObject({ type: TenderType.exclude(['exchange-credit']), token }), TOKEN_RULES).meta({
  id: 'TillTender',
  description: 'token: of the card, the gift card or the redemption. Cash has none.',
});

/** Whether a provider approves the tender: card and bnpl (buy now, pay later). The retailer issues or holds all others. */
export const isByProvider = ({ type }: { readonly type: z.output<typeof TenderType> }): boolean => type === 'card' || type === 'bnpl';

/** All tenders, including the exchange credit, which only applications use. */
export const Tender = withRules(z.strictObject({ type: TenderType, token }), TOKEN_RULES).meta({ id: 'Tender' });
