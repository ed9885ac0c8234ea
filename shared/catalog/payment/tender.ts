import { z } from 'zod';
import { type MemberRule, withRules } from '../shapes.ts';
import { TenderType } from './objects.ts';

const token = z.string().min(1).max(128).optional();
const TOKEN_RULES: readonly MemberRule[] = [
  { when: { member: 'type', is: ['card', 'gift-card', 'loyalty'] }, needs: 'token', error: 'This tender needs a token.' },
  { when: { member: 'type', is: ['cash'] }, refuses: 'token', error: 'Cash has no token; leave it out.' },
];

/** How a customer pays from afar. */
export const DigitalTender = withRules(
  z.strictObject({ type: TenderType.exclude(['cash', 'exchange-credit']), token }),
  TOKEN_RULES.filter(({ needs }) => needs !== undefined),
).meta({ id: 'DigitalTender', description: 'token: of the card, the gift card or the redemption; bnpl needs none.' });

/** How a customer pays at the till. */
export const TillTender = withRules(z.strictObject({ type: TenderType.exclude(['exchange-credit']), token }), TOKEN_RULES).meta({
  id: 'TillTender',
  description: 'token: of the card, the gift card or the redemption; cash has none.',
});

/** Every way of paying, with what only services ask for: an exchange credit. */
export const Tender = withRules(z.strictObject({ type: TenderType, token }), TOKEN_RULES).meta({ id: 'Tender' });
