// A payment provider to try the adapter with: intents, capture, cancel, refund, signed webhooks. Usage: PORT=4001 node provider.mjs
import { createHmac, randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { createServer } from 'node:http';

const refuse = (status, code, about) =>
  Object.assign(new Error(code), { status, body: { error: { code, message: `The provider refuses: ${code}.`, ...about } } });

/** Changes an intent, and counts the change. */
function change(intent, { at }, members) {
  Object.assign(intent, members, { revision: intent.revision + 1 });
  if (at) intent.metadata.at = at;
}

function decline(intent, metadata, decline_code) {
  change(intent, metadata, { status: 'failed', decline_code });
  throw refuse(402, 'card_declined', { intent, decline_code });
}

const isText = (value) => typeof value === 'string' && value !== '';
const FITS = {
  amount: (value) => Number.isSafeInteger(value) && value > 0,
  currency: (value) => /^[A-Z]{3}$/.test(value),
  type: isText,
  method: isText,
  reference: isText,
  metadata: (value) => Object.values(value).every((one) => isText(one) || Number.isSafeInteger(one)),
};

/** Refuses missing members and members that do not fit. */
function requireFit(asked, ...needed) {
  const wrong = Object.keys(FITS).filter((name) => (name in asked ? !FITS[name](asked[name]) : needed.includes(name)));
  if (wrong.length > 0) throw refuse(400, 'parameter_invalid', { message: `Correct ${wrong.join(', ')}.` });
}

const verbs = {
  capture(intent, { amount, metadata }) {
    if (intent.status !== 'requires_capture') throw refuse(409, 'unexpected_state', { intent });
    if (amount > intent.amount) throw refuse(409, 'capture_too_large', { intent });
    if (intent.method === 'tok_decline_at_capture') decline(intent, metadata, 'capture_declined');
    change(intent, metadata, { status: 'succeeded', captured: amount });
  },
  cancel(intent, { metadata }) {
    if (intent.status !== 'requires_capture') throw refuse(409, 'unexpected_state', { intent });
    change(intent, metadata, { status: 'canceled' });
  },
  refund(intent, { amount, metadata }) {
    const { captured, refunded, refunds } = intent;
    if (intent.status !== 'succeeded' || refunded === captured) throw refuse(409, 'unexpected_state', { intent });
    if (refunded + amount > captured) throw refuse(409, 'refund_too_large', { intent });
    change(intent, metadata, { refunded: refunded + amount, refunds: [...refunds, { amount, status: 'succeeded', metadata }] });
  },
};

function act(intent, verb, asked) {
  requireFit(asked, 'metadata', ...(verb === 'cancel' ? [] : ['amount', 'currency']));
  if (verb !== 'cancel' && asked.currency !== intent.currency)
    throw refuse(400, 'parameter_invalid', { message: `Send an amount in ${intent.currency}.` });
  verbs[verb](intent, asked);
  return intent;
}

/** Tokens tok_decline_<code> are declined immediately, tok_decline_at_capture at the capture. @param settings secret of the webhooks */
export function createProvider({ WEBHOOK_SECRET }) {
  const intents = new Map();
  /** The first answer to each idempotency key. */
  const answers = new Map();

  function create(asked) {
    if (asked.type !== undefined && !['card', 'bnpl', 'cash'].includes(asked.type))
      throw refuse(400, 'unsupported_type', { message: `The provider takes no ${asked.type}.` });
    requireFit(asked, 'amount', 'currency', 'type', 'reference', 'metadata', ...(asked.type === 'card' ? ['method'] : []));
    const last4 = asked.type === 'card' ? '4242' : undefined;
    const intent = { id: `pi_${randomUUID()}`, captured: 0, refunded: 0, refunds: [], revision: 0, last4, ...asked };
    intents.set(intent.id, intent);
    const [, code] = /^tok_decline_(?!at_)(\w+)$/.exec(asked.method) ?? [];
    if (code) decline(intent, asked.metadata, code);
    change(intent, asked.metadata, { status: 'requires_capture', approval_code: 'A1B2C3' });
    return intent;
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

  /** Lets an authorisation expire, and sends a webhook. @returns the status of its answer */
  async function expire(id, webhookUrl) {
    const intent = act(intents.get(id), 'cancel', { metadata: { at: new Date().toISOString() } });
    const text = JSON.stringify({ type: 'intent.canceled', intent });
    const at = Math.floor(Date.now() / 1_000);
    const signature = createHmac('sha256', WEBHOOK_SECRET).update(`${at}.${text}`).digest('hex');
    const headers = { 'Provider-Signature': `t=${at},v1=${signature}` };
    return (await fetch(webhookUrl, { method: 'POST', headers, body: text })).status;
  }
  return { server, expire };
}

if (realpathSync(process.argv[1]) === import.meta.filename) createProvider(process.env).server.listen(Number(process.env.PORT ?? 4001));
