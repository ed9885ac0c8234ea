// Calls of the estate, and what the browser remembers between them.
const DEFAULTS = { estate: 'http://localhost:8080', token: 'demo-integration-token', key: 'demo-carrier-key', rehearsal: 'web-shop' };

const stored = (name) => JSON.parse(localStorage.getItem(name) ?? '{}');
const query = Object.fromEntries([...new URLSearchParams(location.search)].filter(([name]) => name in DEFAULTS));

/** Where the shop connects to. The query counts first, then what was saved. */
export const settings = { ...DEFAULTS, ...stored('connection'), ...query };

export const saveSettings = (changes) => localStorage.setItem('connection', JSON.stringify({ ...settings, ...changes }));

if (location.search !== '') {
  saveSettings({});
  // A token must not stay in the address, from where it is shared and logged.
  history.replaceState(null, '', location.pathname + location.hash);
}

const SHOP = `shop ${settings.estate} ${settings.rehearsal}`;

/** What this browser remembers in a rehearsal: basketId, units, codes of vouchers, customer and orders. */
export const remembered = () => ({ units: 0, codes: [], orders: [], ...stored(SHOP) });
export const remember = (changes) => localStorage.setItem(SHOP, JSON.stringify({ ...remembered(), ...changes }));

/** A refusal of the estate (RFC 9457), or no answer: then status is 0. */
export class Refusal extends Error {
  constructor({ detail, status, code, errors = [] }) {
    super(detail);
    Object.assign(this, { status, code, errors });
  }
}

const TIME_LIMIT_MS = 30_000;

/**
 * Calls an API. A command has an idempotency key. If its outcome is unknown, the next attempt with the same body has the same key.
 * @throws Refusal, or AbortError when the view has changed
 */
export async function call(method, path, body, { signal } = {}) {
  const attempt = `${SHOP} ${method} ${path} ${JSON.stringify(body)}`;
  const key = method === 'GET' ? undefined : (sessionStorage.getItem(attempt) ?? crypto.randomUUID());
  if (key) sessionStorage.setItem(attempt, key);
  const { status, answer } = await send(method, path, body, key, signal);
  if (status < 500 && answer.code !== 'idempotency_in_progress') sessionStorage.removeItem(attempt);
  if (status >= 400) throw new Refusal({ ...answer, status });
  return answer;
}

async function send(method, path, body, key, signal) {
  // Browsers resolve "." and "..", encoded ones too. With such a code or id, the address would be another one.
  if (/\/\.{1,2}(?=[/?]|$)/.test(path)) throw new Refusal({ status: 0, detail: 'A code or an id has letters or digits. Correct it.' });
  const timeLimit = AbortSignal.timeout(TIME_LIMIT_MS);
  try {
    const response = await fetch(settings.estate.replace(/\/+$/, '') + path, {
      method,
      headers: {
        // The carrier takes a key; every other application takes the token.
        ...(path.startsWith('/shipments/') ? { 'X-API-Key': settings.key } : { Authorization: `Bearer ${settings.token}` }),
        ...(settings.rehearsal && { 'X-Rehearsal': settings.rehearsal }),
        ...(key && { 'Idempotency-Key': key }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, timeLimit]) : timeLimit,
    });
    return { status: response.status, answer: await response.json() };
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refusal({
      status: 0,
      detail: timeLimit.aborted
        ? `The estate did not answer within ${TIME_LIMIT_MS / 1000} seconds. Try again: nothing happens twice.`
        : `The estate at ${settings.estate} cannot be reached. Start it, correct the address under Connection, or permit this page: CORS_ORIGINS=${location.origin}`,
    });
  }
}
