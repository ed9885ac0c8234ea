import { z } from 'zod';
import { type MemberRule, Reference, TenderToken, withRules } from '../shapes.ts';
import { TenderType } from './objects.ts';

const token = TenderToken.optional();
const EXTERNAL = { member: 'type', is: ['external'] };
const NOT_EXTERNAL = { member: 'type', is: TenderType.exclude(['external']).options };
const NOT_ELSEWHERE = 'Only the tender external has a provider and its reference; leave it out.';
const TOKEN_RULES: readonly MemberRule[] = [
  { when: { member: 'type', is: ['card', 'gift-card', 'loyalty'] }, needs: 'token', error: 'This tender needs a token.' },
  { when: { member: 'type', is: ['cash'] }, refuses: 'token', error: 'Cash has no token; leave it out.' },
];
const EXTERNAL_RULES: readonly MemberRule[] = [
  { when: EXTERNAL, needs: 'provider', error: 'Name the provider that has the money.' },
  { when: EXTERNAL, needs: 'reference', error: 'Give the id of the payment at its provider.' },
  { when: EXTERNAL, refuses: 'token', error: 'The provider has the token; give the reference in its place.' },
  { when: NOT_EXTERNAL, refuses: 'provider', error: NOT_ELSEWHERE },
  { when: NOT_EXTERNAL, refuses: 'reference', error: NOT_ELSEWHERE },
];

/** Where an external payment is. Both are visible ASCII without blanks, as references are. */
const elsewhere = {
  provider: Reference.shape.source.optional().describe('external: the provider that has the money, such as stripe.'),
  reference: Reference.shape.id.optional().describe('external: the id of the payment at the provider.'),
};

/** Tender of a customer who pays online. */
export const DigitalTender = withRules(z.strictObject({ type: TenderType.exclude(['cash', 'exchange-credit']), token, ...elsewhere }), [
  ...TOKEN_RULES.filter(({ needs }) => needs !== undefined),
  ...EXTERNAL_RULES,
]).meta({
  id: 'DigitalTender',
  description:
    'token: of the card, the gift card or the redemption. bnpl needs none. external: authorised or captured elsewhere, with provider and reference.',
});

/** Tender of a customer at the till. */
export const TillTender = withRules(z.strictObject({ type: TenderType.exclude(['exchange-credit', 'external']), token }), TOKEN_RULES).meta(
  {
    id: 'TillTender',
    description: 'token: of the card, the gift card or the redemption. Cash has none.',
  },
);

/** Whether a provider approves the tender: card and bnpl (buy now, pay later). The retailer issues or holds all others. */
export const isByProvider = ({ type }: { readonly type: z.output<typeof TenderType> }): boolean => type === 'card' || type === 'bnpl';

/** Whether another system moves the money. The Payment Hub calls no provider, and notes what was done. */
export const isExternal = ({ type }: { readonly type: z.output<typeof TenderType> }): boolean => type === 'external';

/** All tenders, including the exchange credit, which only applications use. */
export const Tender = withRules(z.strictObject({ type: TenderType, token, ...elsewhere }), [...TOKEN_RULES, ...EXTERNAL_RULES]).meta({
  id: 'Tender',
});
