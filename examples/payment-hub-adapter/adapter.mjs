// Takes the place of the Payment Hub, in front of a payment provider. It stores nothing: the intents of the provider are the payments.
// Usage: PORT=4000 PROVIDER_URL=http://127.0.0.1:4001 node adapter.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { createServer } from 'node:http';

/** Gift cards, points and exchange credits are not tenders of a provider. */
const TENDERS = ['card', 'bnpl', 'cash'];
const STATES = { requires_capture: 'authorised', succeeded: 'captured', canceled: 'voided', failed: 'failed' };
const PAYABLE = ['draft', 'confirmed', 'in-fulfilment', 'partially-fulfilled'];
/** Status and code for each error of the provider. */
const REFUSALS = {
  card_declined: [402, 'payment_declined'],
  wrong_currency: [422, 'validation_failed'],
  resource_missing: [404, 'not_found'],
  unexpected_state: [409, 'invalid_state_transition'],
  capture_too_large: [409, 'capture_exceeds_authorized'],
  refund_too_large: [409, 'refund_exceeds_captured'],
};
const refusal = (status, code, detail, members) => Object.assign(new Error(detail), { status, body: { ...members, code, detail } });
/** Minor units that refunds take, pending ones included. */
const refundedBy = ({ refunds }) => refunds.reduce((total, { amount, status }) => total + (status === 'failed' ? 0 : amount), 0);
const restOf = (intent) => ({ amount: intent.captured - refundedBy(intent), currency: intent.currency.toUpperCase() });
const isText = (value) => typeof value === 'string' && value !== '';
const isMoney = (value) => Number.isSafeInteger(value?.amount) && value.amount > 0 && /^[A-Z]{3}$/.test(value.currency);

/** @throws a refusal that names each mistake. @param checks whether a member fits, by its pointer */
function requireFit(checks) {
  const errors = Object.entries(checks).flatMap(([pointer, fits]) => (fits ? [] : [{ pointer, code: 'invalid', detail: 'Correct it.' }]));
  if (errors.length > 0) throw refusal(422, 'validation_failed', `Correct ${errors.map(({ pointer }) => pointer).join(', ')}.`, { errors });
}

/** A payment of the estate, from an intent of the provider. */
function paymentOf({ id, status, amount, captured, currency, method, last4, approval_code, decline_code, revision, refunds, metadata }) {
  const money = (minor) => ({ amount: minor, currency: currency.toUpperCase() });
  const { since, at, orderId, type, tendered } = metadata;
  const refunded = refundedBy({ refunds });
  const refundState = refunded === captured ? 'fully-refunded' : 'partially-refunded';
  return {
    id,
    version: revision,
    createdAt: since,
    updatedAt: at,
    state: status === 'succeeded' && refunded > 0 ? refundState : STATES[status],
    orderId,
    tender: { type, token: method, last4: type === 'card' ? last4 : undefined },
    amount: money(amount),
    ...(type === 'cash' && { tendered: money(tendered), change: money(tendered - amount) }),
    authorizedAmount: money(approval_code ? amount : 0),
    capturedAmount: money(captured),
    refundedAmount: money(refunded),
    authorizationCode: approval_code,
    declineCode: decline_code,
    refunds: refunds.map((one) => ({ ...one.metadata, amount: money(one.amount), state: one.status })),
  };
}

const asAnswer = ({ status, body, name, message }) =>
  body ? { status, body } : { status: name === 'SyntaxError' ? 400 : 502, body: { detail: message } };

/** @param settings addresses and credentials of the provider and of the estate */
export function createAdapter({ providerUrl, providerKey, webhookSecret, estateUrl, estateToken }) {
  async function send(method, url, headers, body) {
    const all = { 'Content-Type': 'application/json', ...headers };
    const response = await fetch(url, { method, headers: all, body: body && JSON.stringify(body), signal: AbortSignal.timeout(4_000) });
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    const { code, message, intent, decline_code: declineCode } = answer.error ?? {};
    const [status, ownCode] = REFUSALS[code] ?? [response.status < 500 ? response.status : 502, answer.code ?? 'dependency_error'];
    const about = intent && { paymentId: intent.id, currentState: STATES[intent.status], refundableAmount: restOf(intent), declineCode };
    throw refusal(status, ownCode, message ?? answer.detail ?? `${url} answered ${response.status}.`, about);
  }

  /** The rehearsal is part of the key, so that keys of two rehearsals never meet. */
  const provider = ({ rehearsal, key }, method, path, body) =>
    send(method, providerUrl + path, { Authorization: `Bearer ${providerKey}`, 'Idempotency-Key': `${rehearsal}/${key}` }, body);

  const intentsOf = (job, orderId) => provider(job, 'GET', `/intents?reference=${encodeURIComponent(`${job.rehearsal}/${orderId}`)}`);

  async function intentOf(job, id) {
    const intent = await provider(job, 'GET', `/intents/${id}`);
    if (intent.metadata.rehearsal !== job.rehearsal) throw refusal(404, 'not_found', `There is no payment "${id}".`);
    return intent;
  }

  async function act(job, id, verb, body = {}) {
    await intentOf(job, id);
    return paymentOf(await provider(job, 'POST', `/intents/${id}/${verb}`, { ...body, metadata: { ...body.metadata, at: job.now } }));
  }

  /** The order, sent with the call or read from the estate within this call. */
  const payableOf = ({ body, estateCall }, id) =>
    body.payable ?? send('POST', `${estateUrl}/_control/calls/get-payable`, { 'X-Estate-Call': estateCall }, { params: { id } });

  const turns = new Map();
  /** Tenders of one order are authorised one after the other, so that together they never exceed it. */
  function authoriseInTurn(job) {
    const order = `${job.rehearsal}/${job.body.orderId}`;
    const turn = (turns.get(order) ?? Promise.resolve()).catch(() => {}).then(() => authorise(job));
    turns.set(order, turn);
    return turn.finally(() => turns.get(order) === turn && turns.delete(order));
  }

  async function authorise(job) {
    const { orderId, tender, amount } = job.body;
    const { type, token } = tender ?? {};
    const isTender = isText(type) && (isText(token) || (token === undefined && ['cash', 'bnpl'].includes(type)));
    requireFit({ '/orderId': isText(orderId), '/tender': isTender, '/amount': amount === undefined || isMoney(amount) });
    const earlier = await intentsOf(job, orderId);
    const repeated = earlier.find(({ metadata }) => metadata.key === job.key);
    if (repeated?.status === 'failed') throw refusal(402, 'payment_declined', 'Declined.', { declineCode: repeated.decline_code });
    if (repeated) return paymentOf(repeated);
    const { state, total, required = total } = await payableOf(job, orderId);
    const about = { objectType: 'order', id: orderId, currentState: state };
    if (!PAYABLE.includes(state)) throw refusal(409, 'invalid_state_transition', `The order is ${state}.`, about);
    requireFit({ '/amount/currency': amount === undefined || amount.currency === total.currency });
    const committed = earlier.filter(({ status }) => status === 'requires_capture' || status === 'succeeded');
    const outstanding = committed.reduce((left, one) => left - (one.captured || one.amount) + refundedBy(one), required.amount);
    const wanted = amount?.amount ?? outstanding;
    if (outstanding <= 0 || (wanted > outstanding && type !== 'cash'))
      throw refusal(409, 'overpayment', `The order has ${outstanding} minor units outstanding.`, about);
    if (!TENDERS.includes(type))
      throw refusal(402, 'payment_declined', `The provider takes no ${type}.`, { declineCode: 'tender_not_supported' });
    const { rehearsal, key, now } = job;
    const metadata = { rehearsal, key, orderId, since: now, at: now, type, tendered: wanted };
    const asked = { amount: Math.min(wanted, outstanding), currency: total.currency.toLowerCase(), method: token };
    return paymentOf(await provider(job, 'POST', '/intents', { ...asked, reference: `${rehearsal}/${orderId}`, metadata }));
  }

  async function capture(job, id) {
    const { amount } = job.body;
    requireFit({ '/amount': amount === undefined || isMoney(amount) });
    return act(job, id, 'capture', { amount: amount?.amount, currency: amount?.currency.toLowerCase() });
  }

  async function cancel(job, id) {
    const intent = await intentOf(job, id);
    return intent.status === 'canceled' ? paymentOf(intent) : act(job, id, 'cancel');
  }

  async function refund(job, id) {
    const { amount, reason, returnId, reference, payOutTo } = job.body;
    requireFit({ '/amount': isMoney(amount), '/reason': reason === undefined || isText(reason), '/payOutTo': payOutTo === undefined });
    const intent = await intentOf(job, id);
    if (reference !== undefined && intent.refunds.some(({ metadata }) => metadata.reference === reference)) return paymentOf(intent);
    const metadata = { at: job.now, reason, returnId, reference };
    return act(job, id, 'refund', { amount: amount.amount, currency: amount.currency.toLowerCase(), metadata });
  }

  async function reverse(job, id) {
    requireFit({ '/reason': job.body.reason === undefined || isText(job.body.reason) });
    const intent = await intentOf(job, id);
    const { amount: rest } = restOf(intent);
    if (intent.status === 'requires_capture') return act(job, id, 'cancel');
    return rest > 0 ? act(job, id, 'refund', { amount: rest, currency: intent.currency, metadata: job.body }) : paymentOf(intent);
  }

  /** Reports what the provider did unasked: an authorisation expired, a refund failed. If the estate refuses it, the provider sends it again. */
  async function changed({ text, signature = '' }) {
    const [, at = '', given = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
    const expected = createHmac('sha256', webhookSecret).update(`${at}.${text}`).digest();
    if (!timingSafeEqual(expected, Buffer.from(given.padStart(64, '0'), 'hex'))) throw refusal(401, 'unauthenticated', 'Sign the webhook.');
    const { intent } = JSON.parse(text);
    const headers = { Authorization: `Bearer ${estateToken}`, 'X-Rehearsal': intent.metadata.rehearsal };
    return send('POST', `${estateUrl}/_control/events`, headers, { object: 'payment', data: paymentOf(intent) });
  }

  const routes = [
    ['POST', /^\/payments\/authorizations$/, 201, authoriseInTurn],
    ['POST', /^\/payments\/authorizations\/([^/]+)\/capture$/, 200, capture],
    ['POST', /^\/payments\/authorizations\/([^/]+)\/void$/, 200, cancel],
    ['POST', /^\/payments\/([^/]+)\/refunds$/, 201, refund],
    ['POST', /^\/internal\/payments\/([^/]+)\/reverse$/, 200, reverse],
    ['GET', /^\/internal\/payments$/, 200, async (job) => ({ items: (await intentsOf(job, job.query.get('orderId'))).map(paymentOf) })],
    ['POST', /^\/webhook$/, 200, changed],
  ];

  async function answer({ method, url, headers }, text) {
    const { pathname, searchParams: query } = new URL(url, 'http://adapter');
    const [, path, status, handle] = routes.find((route) => route[0] === method && route[1].test(pathname)) ?? [];
    if (!handle) throw refusal(501, 'not_offered', `The adapter does not offer ${method} ${pathname}.`);
    const { 'x-rehearsal': rehearsal, 'x-rehearsal-now': now, 'idempotency-key': key, 'x-estate-call': estateCall } = headers;
    const body = text === '' ? {} : JSON.parse(text);
    const signature = headers['provider-signature'];
    return { status, body: await handle({ body, text, query, rehearsal, now, key, estateCall, signature }, path.exec(pathname)[1]) };
  }

  return createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const { status, body } = await answer(request, text).catch(asAnswer);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
}

if (process.argv[1] && realpathSync(process.argv[1]) === import.meta.filename) {
  const { PORT = '4000', PROVIDER_URL, PROVIDER_KEY, WEBHOOK_SECRET, ESTATE_URL = 'http://127.0.0.1:8080', ESTATE_TOKEN } = process.env;
  const settings = { providerUrl: PROVIDER_URL, providerKey: PROVIDER_KEY, webhookSecret: WEBHOOK_SECRET, estateUrl: ESTATE_URL };
  createAdapter({ ...settings, estateToken: ESTATE_TOKEN }).listen(Number(PORT));
}
