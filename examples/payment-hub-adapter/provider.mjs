// A payment provider to try the adapter with: intents, capture, cancel, refund, signed webhooks. Usage: PORT=4001 node provider.mjs
import { createHmac, randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { createServer } from 'node:http';

const refuse = (status, code, intent, decline_code) =>
  Object.assign(new Error(code), { status, body: { error: { code, message: `The provider refuses: ${code}.`, intent, decline_code } } });
const refunded = ({ refunds }) => refunds.reduce((total, { amount }) => total + amount, 0);

function decline(intent, decline_code) {
  Object.assign(intent, { status: 'failed', decline_code });
  throw refuse(402, 'card_declined', intent, decline_code);
}

const verbs = {
  capture(intent, { amount = intent.amount }) {
    if (intent.status !== 'requires_capture') throw refuse(409, 'unexpected_state', intent);
    if (amount > intent.amount) throw refuse(409, 'capture_too_large', intent);
    if (intent.method === 'tok_decline_at_capture') decline(intent, 'capture_declined');
    Object.assign(intent, { status: 'succeeded', captured: amount });
  },
  cancel(intent) {
    if (intent.status !== 'requires_capture') throw refuse(409, 'unexpected_state', intent);
    intent.status = 'canceled';
  },
  refund(intent, { amount, metadata }) {
    const rest = intent.captured - refunded(intent);
    if (intent.status !== 'succeeded' || rest === 0) throw refuse(409, 'unexpected_state', intent);
    if (amount > rest) throw refuse(409, 'refund_too_large', intent);
    intent.refunds.push({ amount, status: 'succeeded', metadata });
  },
};

function act(intent, verb, { currency, ...asked }) {
  if (currency !== undefined && currency !== intent.currency) throw refuse(400, 'wrong_currency');
  Object.assign(intent.metadata, { at: asked.metadata.at });
  intent.revision += 1;
  verbs[verb](intent, asked);
  return intent;
}

/** Tokens tok_decline_<code> are declined immediately, tok_decline_at_capture at the capture. @param settings where webhooks go, and their secret */
export function createProvider({ webhookUrl, webhookSecret }) {
  const intents = new Map();
  /** The first answer to each idempotency key. */
  const answers = new Map();

  function create({ method, ...asked }) {
    const intent = { id: `pi_${randomUUID()}`, captured: 0, refunds: [], revision: 1, last4: '4242', method, ...asked };
    intents.set(intent.id, intent);
    const [, code] = /^tok_decline_(?!at_)(\w+)$/.exec(method) ?? [];
    if (code) decline(intent, code);
    return Object.assign(intent, { status: 'requires_capture', approval_code: 'A1B2C3' });
  }

  function answer(method, { pathname, searchParams }, body) {
    const [, collection, id, verb] = pathname.split('/');
    if (collection === 'intents' && id === undefined && method === 'POST') return create(body);
    if (collection === 'intents' && id === undefined)
      return [...intents.values()].filter(({ reference }) => reference === searchParams.get('reference'));
    const intent = intents.get(id);
    if (!intent) throw refuse(404, 'resource_missing');
    return method === 'GET' ? intent : act(intent, verb, body);
  }

  function reply({ method, url, headers }, text) {
    const key = method === 'POST' ? headers['idempotency-key'] : undefined;
    if (key && answers.has(key)) return answers.get(key);
    const given = { status: 200 };
    try {
      given.body = answer(method, new URL(url, 'http://provider'), text && JSON.parse(text));
    } catch (error) {
      if (!error.body) throw error;
      Object.assign(given, { status: error.status, body: error.body });
    }
    if (key) answers.set(key, structuredClone(given));
    return given;
  }

  const server = createServer(async (request, response) => {
    const { status, body } = reply(request, Buffer.concat(await request.toArray()).toString());
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });

  /** Lets an authorisation expire, and sends a webhook. @returns the status of the webhook */
  async function expire(id) {
    const intent = act(intents.get(id), 'cancel', { metadata: { at: new Date().toISOString() } });
    const text = JSON.stringify({ type: 'intent.canceled', intent });
    const at = Math.floor(Date.now() / 1_000);
    const signature = createHmac('sha256', webhookSecret).update(`${at}.${text}`).digest('hex');
    const headers = { 'Provider-Signature': `t=${at},v1=${signature}` };
    return (await fetch(webhookUrl(), { method: 'POST', headers, body: text })).status;
  }
  return { server, expire };
}

if (process.argv[1] && realpathSync(process.argv[1]) === import.meta.filename) {
  const { PORT = '4001', WEBHOOK_URL = 'http://127.0.0.1:4000/webhook', WEBHOOK_SECRET = 'secret' } = process.env;
  createProvider({ webhookUrl: () => WEBHOOK_URL, webhookSecret: WEBHOOK_SECRET }).server.listen(Number(PORT));
}
