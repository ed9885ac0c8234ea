/** Programs of a user, one for each way to use a package. */

const NAMES = 'ApiRefusal, DEMO_CREDENTIALS, EstateRehearsal, harden';
const REQUIRED = `const { ${NAMES} } = require('unified-commerce-estate');\n`;
const IMPORTED = `import { ${NAMES} } from 'unified-commerce-estate';\n`;

const ORDER = `
async function play() {
  const rehearsal = await EstateRehearsal.create({ gateway: process.env.ESTATE_URL ?? '', credentials: DEMO_CREDENTIALS });
  try {
    const basket = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
    await rehearsal.verify();
    return basket.state;
  } finally {
    await rehearsal.delete();
  }
}
`;
const PRINTED = 'play().then((state) => console.log(state));\n';

const TESTS = `
test('a basket is open', async () => {
  expect(await play()).toBe('open');
}, 60_000);

test('a refusal has its own class', async () => {
  const rehearsal = await EstateRehearsal.create({ gateway: process.env.ESTATE_URL ?? '', credentials: DEMO_CREDENTIALS });
  await expect(rehearsal.api('get-product-api', { params: { id: 'no-such-thing' } })).rejects.toBeInstanceOf(ApiRefusal);
  await rehearsal.delete();
}, 60_000);

const points = (keyOf) => async function welcome(rehearsal) {
  for (let n = 0; n < 3; n++) {
    const input = { params: { id: 'loy_ada' }, body: { points: 100, reason: 'welcome' }, headers: { 'idempotency-key': keyOf(n) } };
    if ((await rehearsal.call('issue-loyalty-points-api', input)).ok) return 'given';
  }
  throw new Error('No points.');
};
const hardened = (story) =>
  harden({ gateway: process.env.ESTATE_URL ?? '', credentials: DEMO_CREDENTIALS }, story, { families: ['lost-answers'] });

test('a lost answer makes a story with new keys act twice, and no story with one key', async () => {
  await expect(hardened(points((n) => 'try-' + n))).rejects.toThrow('Issue Loyalty Points was carried out, and its answer was lost.');
  expect((await hardened(points(() => 'once'))).findings).toEqual([]);
}, 120_000);
`;

export const COMMONJS = REQUIRED + ORDER + PRINTED;
export const ES_MODULE = IMPORTED + ORDER + PRINTED;
export const JEST = REQUIRED + ORDER + TESTS;
export const VITEST = `import { expect, test } from 'vitest';\n${IMPORTED}${ORDER}${TESTS}`;

/** In both module formats. The types of a call's input and answer are used. */
export const TEN_LINES = `import { DEMO_CREDENTIALS, EstateRehearsal, harden, type HardenRun } from 'unified-commerce-estate';

export async function order(gateway: string): Promise<'open' | 'other'> {
  await using rehearsal = await EstateRehearsal.create({ gateway, credentials: DEMO_CREDENTIALS });
  const basket = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
  const { items } = await rehearsal.control('list-faults');
  await rehearsal.fault('slow', { match: { application: 'oms' }, fault: { kind: 'latency', ms: 10 } });
  const [event] = await rehearsal.awaitEvents('basket-created');
  const read = await rehearsal.call('get-inventory-api', { params: { sku: event?.data.object.lines[0]?.sku ?? '' } });
  if (!read.ok) throw new Error(read.body.code);
  const tried = await rehearsal.api('confirm-order-api', { params: { id: 'ord_1' }, dryRun: true });
  if (tried.possible && tried.answer?.state !== 'confirmed') return 'other';
  const check = { params: { sku: 'mug-blue' } };
  const run: HardenRun = await harden({ gateway, credentials: DEMO_CREDENTIALS }, (own) => own.api('get-inventory-api', check), { families: ['absent'] });
  if (run.findings.some(({ verdict }) => verdict === 'twice')) return 'other';
  const total: number = basket.totals.total.amount + items.length + read.body.locations.length;
  return total > 0 && basket.state === 'open' ? 'open' : 'other';
}
`;
