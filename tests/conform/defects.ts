import { pause } from '../../shared/process/waiting.ts';
import { type Misbehave, type OutsideAnswer, startPaymentHub } from '../support/real-payment-hub.ts';

/** A success in place of the refusal with this code. */
const insteadOf =
  (code: string): Misbehave =>
  ({ payment }, honest) => {
    const answer = honest();
    return codeIn(answer) === code ? { status: 200, body: payment ?? {} } : answer;
  };

const codeIn = ({ body }: OutsideAnswer) => (body as { readonly code?: string }).code;

/** The honest answer with another text in place of each match. */
const rewriting =
  (pattern: RegExp, text: string): Misbehave =>
  (_request, honest) => {
    const { status, body } = honest();
    return { status, body: JSON.parse(JSON.stringify(body).replaceAll(pattern, text)) };
  };

const keys = new Set<unknown>();

/** How a Payment Hub breaks one rule of the contract each. */
const DEFECTS = {
  'wrong-shape': rewriting(/"authorizedAmount":\{[^}]*\}/g, '"authorizedAmount":1'),
  'forgets-keys': (_request, honest) => honest({ headers: {} }),
  'fails-on-repeat': ({ headers }, honest) => {
    const key = headers['idempotency-key'];
    if (keys.has(key)) return { status: 500, body: { detail: 'The key exists.' } };
    if (key !== undefined) keys.add(key);
    return honest();
  },
  'answers-unknown-ids': ({ path }, honest) => (/\/conform-/.test(path) ? { status: 200, body: {} } : honest()),
  'accepts-bad-bodies': insteadOf('validation_failed'),
  'captures-above-the-authorised': insteadOf('capture_exceeds_authorized'),
  'moves-in-any-state': insteadOf('invalid_state_transition'),
  'answers-in-another-currency': rewriting(/"EUR"/g, '"USD"'),
  'leaves-out-the-code': rewriting(/"authorizationCode":"[^"]*",/g, ''),
  'hides-refunds': rewriting(/"refunds":\[[^\]]*\]/g, '"refunds":[]'),
  'refunds-above-the-captured': insteadOf('refund_exceeds_captured'),
  'authorises-above-the-outstanding': insteadOf('overpayment'),
  'mixes-orders': (_request, honest) => honest({ query: new URLSearchParams() }),
  'hides-the-change': rewriting(/,"tendered":\{[^}]*\},"change":\{[^}]*\}/g, ''),
  'hides-the-rest': rewriting(/,"refundableAmount":\{[^}]*\}/g, ''),
  'forgets-reasons': rewriting(/,"reason":"part \d"/g, ''),
  'declines-nothing': insteadOf('payment_declined'),
  'hides-the-digits': rewriting(/,"last4":"[^"]*"/g, ''),
  'hides-the-expiry': rewriting(/"authorizationExpiresAt":"[^"]*",/g, ''),
  slow: (_request, honest, response) => {
    const { body } = honest();
    void pause(1_000).then(() => response.end(JSON.stringify(body)));
    return 'handled';
  },
  // A sound system may do this.
  'forgets-declined': ({ path }, honest) => {
    const { status, body } = honest();
    if (path !== '/internal/payments') return { status, body };
    const { items } = body as { readonly items: readonly { readonly state: string }[] };
    return { status, body: { items: items.filter(({ state }) => state !== 'failed') } };
  },
} as const satisfies Record<string, Misbehave>;
export type Defect = Exclude<keyof typeof DEFECTS, 'forgets-declined'>;

export const startDefectiveHub = (defect: keyof typeof DEFECTS) => startPaymentHub(DEFECTS[defect]);
