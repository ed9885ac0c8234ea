// Takes the place of the Payment Hub, in front of a payment provider. It stores nothing: the intents of the provider are the payments.
// Usage: PORT=4000 PROVIDER_URL=http://127.0.0.1:4001 node adapter.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { createServer } from 'node:http';

const STATES = { requires_capture: 'authorised', succeeded: 'captured', canceled: 'voided', failed: 'failed' };
const PAYABLE = ['draft', 'confirmed', 'in-fulfilment', 'partially-fulfilled'];
/** Status and code for each error of the provider, and why it declines. */
const REFUSALS = {
  card_declined: [402, 'payment_declined'],
  unsupported_type: [402, 'payment_declined', 'tender_not_supported'],
  parameter_invalid: [422, 'validation_failed'],
  resource_missing: [404, 'not_found'],
  unexpected_state: [409, 'invalid_state_transition'],
  capture_too_large: [409, 'capture_exceeds_authorized'],
  refund_too_large: [409, 'refund_exceeds_captured'],
};
const refusal = (status, code, detail, members) => Object.assign(new Error(detail), { status, body: { ...members, code, detail } });
const restOf = ({ captured, refunded, currency }) => ({ amount: captured - refunded, currency });

/** A payment of the estate, from an intent of the provider. */
function paymentOf({ status, type, amount, captured, refunded, currency, refunds, metadata, ...intent }) {
  const money = (minor) => ({ amount: minor, currency });
  const refundState = refunded === captured ? 'fully-refunded' : 'partially-refunded';
  return {
    id: intent.id,
    version: intent.revision,
    createdAt: metadata.since,
    updatedAt: metadata.at,
    state: status === 'succeeded' && refunded > 0 ? refundState : STATES[status],
    orderId: metadata.orderId,
    tender: { type, token: intent.method, last4: intent.last4 },
    amount: money(amount),
    ...(type === 'cash' && { tendered: money(metadata.tendered), change: money(metadata.tendered - amount) }),
    authorizedAmount: money(intent.approval_code ? amount : 0),
    capturedAmount: money(captured),
    refundedAmount: money(refunded),
    authorizationCode: intent.approval_code,
    declineCode: intent.decline_code,
    refunds: refunds.map((one) => ({ ...one.metadata, amount: money(one.amount), state: one.status })),
  };
}

/** @param settings addresses and credentials of the provider and of the estate */
export function createAdapter({ PROVIDER_URL, PROVIDER_KEY, WEBHOOK_SECRET, ESTATE_URL = 'http://127.0.0.1:8080', ESTATE_TOKEN }) {
  async function send(method, url, headers, body) {
    const all = { 'Content-Type': 'application/json', ...headers };
    const response = await fetch(url, { method, headers: all, body: body && JSON.stringify(body), signal: AbortSignal.timeout(4_000) });
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    const { code, message = answer.detail ?? `${url} answered ${response.status}.`, intent, decline_code } = answer.error ?? {};
    const other = [response.status < 500 ? response.status : 502, answer.code ?? 'dependency_error'];
    const [status, ownCode, declineCode = decline_code] = REFUSALS[code] ?? other;
    const about = intent && { paymentId: intent.id, currentState: STATES[intent.status], refundableAmount: restOf(intent) };
    throw refusal(status, ownCode, message, { ...about, declineCode });
  }

  /** The rehearsal is part of each key and reference, so that rehearsals never meet. */
  const provider = ({ rehearsal, key }, method, path, body) =>
    send(method, PROVIDER_URL + path, { Authorization: `Bearer ${PROVIDER_KEY}`, 'Idempotency-Key': `${rehearsal}/${key}` }, body);
  const intentsOf = (job, orderId) => provider(job, 'GET', `/intents?reference=${encodeURIComponent(`${job.rehearsal}/${orderId}`)}`);

  async function intentOf(job, id) {
    const intent = await provider(job, 'GET', `/intents/${id}`);
    if (intent.metadata.rehearsal !== job.rehearsal) throw refusal(404, 'not_found', `There is no payment "${id}".`);
    return intent;
  }

  const act = async (job, { id }, verb, { amount, currency } = {}, metadata = {}) =>
    paymentOf(await provider(job, 'POST', `/intents/${id}/${verb}`, { amount, currency, metadata: { ...metadata, at: job.now } }));

  const turns = new Map();
  /** Tenders of one order are authorised one after the other, so that together they never exceed it. */
  function authoriseInTurn(job) {
    const order = `${job.rehearsal}/${job.body.orderId}`;
    const turn = Promise.allSettled([turns.get(order)]).then(() => authorise(job));
    turns.set(order, turn);
    return turn.finally(() => turns.get(order) === turn && turns.delete(order));
  }

  async function authorise(job) {
    const { rehearsal, key, now, body, call } = job;
    const { orderId: id, tender, amount } = body;
    if (typeof id !== 'string' || typeof tender?.type !== 'string') throw refusal(422, 'validation_failed', 'Send orderId and tender.');
    const earlier = await intentsOf(job, id);
    const repeated = earlier.find(({ metadata, status }) => metadata.key === key && status !== 'failed');
    if (repeated) return paymentOf(repeated);
    // The OMS sends the order with the call. For other callers, the adapter reads it from the estate within the call.
    const read = () => send('POST', `${ESTATE_URL}/_control/calls/get-payable`, { 'X-Estate-Call': call }, { params: { id } });
    const { state, total, required = total } = body.payable ?? (await read());
    const about = { objectType: 'order', id, currentState: state };
    if (!PAYABLE.includes(state)) throw refusal(409, 'invalid_state_transition', `The order is ${state}.`, about);
    const committed = earlier.filter(({ status }) => status === 'requires_capture' || status === 'succeeded');
    const outstanding = committed.reduce((left, one) => left - (one.captured || one.amount) + one.refunded, required.amount);
    const { amount: wanted, currency } = amount ?? { ...total, amount: outstanding };
    if (currency !== total.currency) throw refusal(422, 'validation_failed', `Send an amount in ${total.currency}.`);
    if (outstanding <= 0 || (wanted > outstanding && tender.type !== 'cash'))
      throw refusal(409, 'overpayment', `The order has ${outstanding} minor units outstanding.`, about);
    const metadata = { rehearsal, key, orderId: id, since: now, at: now, tendered: wanted };
    const asked = { amount: Math.min(wanted, outstanding), currency, type: tender.type, method: tender.token, metadata };
    return paymentOf(await provider(job, 'POST', '/intents', { ...asked, reference: `${rehearsal}/${id}` }));
  }

  const list = async (job) => ({ items: (await intentsOf(job, job.query.get('orderId'))).map(paymentOf) });
  const capture = (job, intent) => act(job, intent, 'capture', job.body.amount ?? intent);
  const cancel = (job, intent) => (intent.status === 'canceled' ? paymentOf(intent) : act(job, intent, 'cancel'));

  function refund(job, intent) {
    const { amount, reason, returnId, reference, payOutTo } = job.body;
    if (payOutTo) throw refusal(422, 'validation_failed', 'The provider refunds to the tender only: leave payOutTo out.');
    const isRepeated = reference !== undefined && intent.refunds.some(({ metadata }) => metadata.reference === reference);
    return isRepeated ? paymentOf(intent) : act(job, intent, 'refund', amount, { reason, returnId, reference });
  }

  function reverse(job, intent) {
    const rest = restOf(intent);
    if (intent.status === 'requires_capture') return act(job, intent, 'cancel', undefined, job.body);
    return rest.amount > 0 ? act(job, intent, 'refund', rest, job.body) : paymentOf(intent);
  }

  /** Reports what the provider changed without a call: an authorisation expired, a refund failed. If the estate refuses it, the provider sends it again. */
  function changed({ text, signature, body: { intent } }) {
    const [, at = '', given = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
    const expected = createHmac('sha256', WEBHOOK_SECRET).update(`${at}.${text}`).digest();
    if (!timingSafeEqual(expected, Buffer.from(given.padStart(64, '0'), 'hex'))) throw refusal(401, 'unauthenticated', 'Sign the webhook.');
    // A provider sends webhooks about other things too.
    if (intent === undefined) return {};
    const headers = { Authorization: `Bearer ${ESTATE_TOKEN}`, 'X-Rehearsal': intent.metadata.rehearsal };
    return send('POST', `${ESTATE_URL}/_control/events`, headers, { object: 'payment', data: paymentOf(intent) });
  }

  const routes = [
    ['POST', /^\/payments\/authorizations$/, 201, authoriseInTurn],
    ['POST', /^\/payments\/authorizations\/([^/]+)\/capture$/, 200, capture],
    ['POST', /^\/payments\/authorizations\/([^/]+)\/void$/, 200, cancel],
    ['POST', /^\/payments\/([^/]+)\/refunds$/, 201, refund],
    ['POST', /^\/internal\/payments\/([^/]+)\/reverse$/, 200, reverse],
    ['GET', /^\/internal\/payments$/, 200, list],
    ['POST', /^\/webhook$/, 200, changed],
  ];

  async function answer({ method, url, headers }, text) {
    const { pathname, searchParams: query } = new URL(url, 'http://adapter');
    const [, path, status, handle] = routes.find((route) => route[0] === method && route[1].test(pathname)) ?? [];
    if (!handle) throw refusal(501, 'not_offered', `The adapter does not offer ${method} ${pathname}.`);
    const { 'x-rehearsal': rehearsal, 'x-rehearsal-now': now, 'idempotency-key': key, 'x-estate-call': call } = headers;
    const job = { text, body: JSON.parse(text || '{}'), query, rehearsal, now, key, call, signature: headers['provider-signature'] };
    const [, id] = path.exec(pathname);
    return { status, body: await handle(job, id && (await intentOf(job, id))) };
  }

  return createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const { status = 502, body } = await answer(request, text).catch((error) => ({ body: { detail: error.message }, ...error }));
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
}

if (realpathSync(process.argv[1]) === import.meta.filename) createAdapter(process.env).listen(Number(process.env.PORT ?? 4000));
