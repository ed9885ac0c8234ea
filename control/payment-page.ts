import { createHash } from 'node:crypto';
import { type Request, type Response, Router } from 'express';
import type { z } from 'zod';
import { type ActionOutcome, completePaymentAction, readPaymentAction } from '../shared/catalog/payment/internal.ts';
import type { Payment } from '../shared/catalog/payment/objects.ts';
import { isProblem, Problem, undefinedIf } from '../shared/catalog/problems.ts';
import { requestIdIn } from '../shared/control/request-id.ts';
import { moneyInWords } from '../shared/domain/money.ts';
import type { Directory } from '../shared/store/ports/rehearsals.ts';
import type { OutsideCall } from './outside-call.ts';
import type { Rehearsals } from './rehearsals/rehearsals.ts';
import type { Use } from './rehearsals/use.ts';

interface PaymentPageParts {
  readonly rehearsals: Pick<Rehearsals, 'find'>;
  readonly use: Pick<Use, 'note'>;
  readonly numbers: Pick<Directory, 'nextNumber'>;
  readonly callFromOutside: OutsideCall;
}

type Viewed = z.output<typeof readPaymentAction.response>;
type Address = { readonly rehearsal: string; readonly id: string; readonly token: string };
type Decision = { readonly decision: string };

const OUTCOMES: Readonly<Record<string, z.output<typeof ActionOutcome>>> = { approve: 'succeeded', reject: 'failed' };

const STYLE = `:root{color-scheme:light dark;--page:#f4f6f9;--card:#fff;--text:#17202c;--muted:#566274;--line:#d5dbe5;--accent:#1c4fd6;--on-accent:#fff}
@media (prefers-color-scheme:dark){:root{--page:#10151d;--card:#1a212c;--text:#e8edf4;--muted:#a3afc0;--line:#354052;--accent:#8fb1ff;--on-accent:#0b1220}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1rem;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
main{width:100%;max-width:26rem;padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:12px}
h1{margin:0 0 .25rem;font-size:1.25rem}
p{margin:0 0 1rem;color:var(--muted)}
.amount{margin:1.25rem 0;color:var(--text);font-size:2rem;font-weight:600;line-height:1.2}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:0 0 1.5rem}
dt{color:var(--muted)}
dd{margin:0;text-align:right;overflow-wrap:anywhere}
form{margin:0 0 .75rem}
button{width:100%;min-height:3rem;padding:.5rem 1rem;border:1px solid var(--accent);border-radius:8px;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;cursor:pointer}
button.quiet{background:transparent;color:var(--accent)}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.note{margin:1.25rem 0 0;font-size:.8125rem}`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * The page where a customer authenticates a payment (3-D Secure). It needs no credential: its address has a token that fits one payment.
 * A decision is made once; afterwards the page shows the outcome, or the browser returns to the shop.
 */
export function createPaymentPage({ rehearsals, use, numbers, callFromOutside }: PaymentPageParts): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const address = '/payment-actions/:rehearsal/:id/:token';

  const entered = async ({ rehearsal }: Address) => {
    const view = await rehearsals.find(rehearsal);
    use.note(rehearsal);
    return { view, correlationId: await requestIdIn(view, numbers, 'payment page') };
  };
  const read = async ({ id, token, ...at }: Address): Promise<Viewed> =>
    callFromOutside(await entered({ id, token, ...at }), readPaymentAction, { params: { id }, body: { token } });

  router.get(address, async ({ params }: Request<Address>, response) => {
    const viewed = await read(params).catch(undefinedIfUnknown);
    if (viewed) show(response, 200, pageOf(viewed, params), viewed.returnUrl);
    else show(response, 404, UNKNOWN);
  });

  router.all(address, ({ method }) => refuseMethod(method, ['GET', 'HEAD']));

  router.post(`${address}/:decision`, async ({ params }: Request<Address & Decision>, response, next) => {
    const { id, token, decision } = params;
    const outcome = OUTCOMES[decision];
    if (outcome === undefined) return next();
    const viewed = await read(params).catch(undefinedIfUnknown);
    if (!viewed) return show(response, 404, UNKNOWN);
    const body = { outcome, token };
    const payment = await callFromOutside(await entered(params), completePaymentAction, { params: { id }, body }).catch(
      undefinedIf('invalid_state_transition'),
    );
    // A repeat shows the first decision.
    response.redirect(303, payment && viewed.returnUrl !== undefined ? addressAfter(viewed.returnUrl, payment) : pathOf(params));
  });

  router.all(`${address}/:decision`, ({ method, params }: Request<Address & Decision>, _response, next) =>
    OUTCOMES[params.decision] === undefined ? next() : refuseMethod(method, ['POST']),
  );
  return router;
}

/** @throws Problem method_not_allowed */
function refuseMethod(method: string, allow: readonly string[]): never {
  throw new Problem('method_not_allowed', `${method} is not possible here; ${allow.join(', ')} is.`, { allow });
}

function undefinedIfUnknown(error: unknown): undefined {
  if (isProblem(error, 'not_found', 'unknown_rehearsal')) return undefined;
  throw error;
}

const pathOf = ({ rehearsal, id, token }: Address): string => ['/payment-actions', rehearsal, id, token].map(encodedPath).join('/');
const encodedPath = (segment: string): string => (segment.startsWith('/') ? segment : encodeURIComponent(segment));

/** The address of the shop with the outcome. */
function addressAfter(returnUrl: string, { id, state }: z.output<typeof Payment>): string {
  const url = new URL(returnUrl);
  url.searchParams.append('payment_id', id);
  url.searchParams.append('state', state);
  return url.href;
}

/** @param returnUrl browsers apply `form-action` to the redirect after a form too */
function show(response: Response, status: number, main: string, returnUrl?: string): void {
  const forms = returnUrl === undefined ? "'self'" : `'self' ${new URL(returnUrl).origin}`;
  response.status(status).set({
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action ${forms}; base-uri 'none'; frame-ancestors 'none'`,
    // The token is in the address.
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
  });
  response.type('html').send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Authenticate your payment</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${main}
<p class="note">A simulated provider. No money moves.</p>
</main>
</body>
</html>
`);
}

const UNKNOWN = `<h1>Unknown payment</h1>
<p>This address belongs to no payment. Return to the shop and pay again.</p>`;

function pageOf({ payment, returnUrl }: Viewed, at: Address): string {
  const { state, tender, amount, orderId } = payment;
  const facts = [...(tender.last4 === undefined ? [] : [['Card', `ending in ${tender.last4}`]]), ['Order', orderId]].map(
    ([name = '', value = '']) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`,
  );
  const about = `<p class="amount">${escaped(moneyInWords(amount))}</p>\n<dl>${facts.join('')}</dl>`;
  if (state === 'requires-action') {
    return `<h1>Authenticate your payment</h1>
<p>Your bank asks whether you make this payment.</p>
${about}
<form method="post" action="${escaped(pathOf(at))}/approve"><button>Approve</button></form>
<form method="post" action="${escaped(pathOf(at))}/reject"><button class="quiet">Reject</button></form>`;
  }
  const back = returnUrl === undefined ? '' : `\n<p><a href="${escaped(addressAfter(returnUrl, payment))}">Return to the shop</a></p>`;
  return `<h1>${escaped(OUTCOME_WORDS[state] ?? 'The payment was approved')}</h1>
<p>The payment is ${escaped(state)}. Nothing is left to do on this page.</p>
${about}${back}`;
}

/** Headings of the page after the decision. All other states follow an approval. */
const OUTCOME_WORDS: Readonly<Partial<Record<z.output<typeof Payment>['state'], string>>> = {
  failed: 'The payment failed',
  voided: 'The payment was cancelled',
};

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => ENTITIES[found] ?? found);
