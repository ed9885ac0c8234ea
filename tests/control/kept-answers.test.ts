import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { run } from '../../command-line/program.ts';
import { keptAnswers } from '../../shared/elsewhere/swap/kept-answers.ts';
import { anObservedEstate } from '../observability/observed-estate.ts';
import { ADMIN, estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { startPaymentHub } from '../support/real-payment-hub.ts';
import { rehearsalAt } from '../support/steps/rehearsal-at.ts';
import { card } from '../support/steps/tender.ts';

/** Pays twice with equal requests, voids the second payment, and cannot capture it. @returns what a client sees of the payments */
async function story(rehearsal: TestRehearsal) {
  const order = await rehearsal.draft();
  const pay = () =>
    rehearsal.call('authorize-payment-api', { body: { orderId: order.id, tender: card(), amount: { amount: 500, currency: 'EUR' } } });
  const [first, second] = [await pay(), await pay()];
  const voided = await rehearsal.call('void-payment-api', { params: { id: second.body.id } });
  const refused = await rehearsal.call('capture-payment-api', { params: { id: second.body.id }, body: {} });
  return [first, second, voided, refused].map(({ status, body }) => [status, body.code ?? [body.id, body.state, body.amount.amount]]);
}

test('Kept answers stand in for a real system in another rehearsal, and an unknown call names the nearest', async () => {
  await using hub = await startPaymentHub();
  await using recorded = await newRehearsal(undefined, undefined, { 'payment-hub': { url: hub.url, keep: true } });
  const seen = await story(recorded);
  expect(seen.map(([status]) => status)).toEqual([201, 201, 200, 409]);
  const { answers } = await recorded.control('read-answers', { params: { application: 'payment-hub' } });
  expect(answers['authorize-payment-api']?.[1]).toMatchObject({
    request: { body: { orderId: '{id 1}' } },
    answer: { orderId: '{id 1}', createdAt: expect.stringMatching(/^\{time \d+, now[+-]\d+\}$/) },
  });
  const calls = hub.received.length;
  await using kept = await newRehearsal(undefined, undefined, { 'payment-hub': { mode: 'kept', answers } });
  expect(await story(kept)).toEqual(seen);
  expect(hub.received).toHaveLength(calls);
  const eventsOf = async (rehearsal: TestRehearsal) =>
    (await rehearsal.events({ ext: true }))
      .filter(({ subject }) => subject.startsWith('payment/'))
      .map(({ type, subject }) => [type, subject]);
  expect(await eventsOf(kept)).toEqual(await eventsOf(recorded));
  const other = { orderId: (await kept.draft()).id, tender: card(), amount: { amount: 7, currency: 'EUR' } };
  const { body } = await kept.call('authorize-payment-api', { body: other });
  expect(body).toMatchObject({ status: 502, violation: 'not_kept', outside: true, dependency: 'payment-hub' });
  expect(body.detail).toContain('The nearest differs at /body/amount/amount: it has 500, and the request 7.');
  const { body: second } = await kept.call('authorize-payment-api', { body: { ...other, amount: { amount: 500, currency: 'EUR' } } });
  expect(second).toMatchObject({ violation: 'not_kept', retryable: false });
  expect(second.detail).toContain('The nearest is call 2 of its file, which fits.');
  expect((await kept.control('list-swaps')).items[0]?.violations).toMatchObject([{ name: 'not_kept', count: 2 }]);
});

test('Kept answers have declared members only and no secret, so an estate accepts them', async () => {
  await using hub = await startPaymentHub((_request, honest) => {
    const { status, body } = honest();
    return { status, body: { ...(body as object), authorizationCode: 'tok_private', password: 'p', internal: { token: 'tok_private' } } };
  });
  await using recorded = await newRehearsal(undefined, undefined, { 'payment-hub': { url: hub.url, keep: true } });
  const pay = async (rehearsal: TestRehearsal) => {
    const tender = { type: 'card', token: 'tok_of_a_client' } as const;
    const body = { orderId: (await rehearsal.draft()).id, tender, amount: { amount: 500, currency: 'EUR' } };
    return (await rehearsal.call('authorize-payment-api', { body })).body;
  };
  expect(await pay(recorded)).toMatchObject({ authorizationCode: 'tok_private' });
  const { answers } = await recorded.control('read-answers', { params: { application: 'payment-hub' } });
  const [first] = answers['authorize-payment-api'] ?? [];
  expect(first).toMatchObject({ request: { body: { tender: { token: 'redacted' } } }, answer: { authorizationCode: 'redacted' } });
  expect(Object.keys(first?.answer as object)).not.toEqual(expect.arrayContaining(['password', 'internal']));
  await using kept = await newRehearsal(undefined, undefined, { 'payment-hub': { mode: 'kept', answers } });
  expect(await pay(kept)).toMatchObject({ state: 'authorised', authorizationCode: 'redacted' });
});

test('The command writes a file per operation, and the variables of an estate read them', async () => {
  await using hub = await startPaymentHub();
  await using recorded = await newRehearsal(undefined, undefined, { 'payment-hub': { url: hub.url, keep: true } });
  const seen = await story(recorded);
  const folder = await mkdtemp(join(tmpdir(), 'answers-'));
  await run(['swaps', 'keep', 'payment-hub', '--to', folder, '--against', estate.gateway, '--admin', ADMIN, '--rehearsal', recorded.name]);
  expect((await readdir(folder)).toSorted()).toEqual(['authorize-payment-api.json', 'capture-payment-api.json', 'void-payment-api.json']);
  await using ci = await anObservedEstate({ SWAP_PAYMENT_HUB_MODE: 'kept', SWAP_PAYMENT_HUB_ANSWERS: folder });
  await rm(folder, { recursive: true });
  await using rehearsal = await rehearsalAt(ci.running.gateway);
  expect(await story(rehearsal)).toEqual(seen);
});

test('A swap is refused with every member that its mode lacks or does not accept', async () => {
  const refused = async (swap: object) => {
    await using rehearsal = await newRehearsal();
    const { body } = await rehearsal.call('create-rehearsal', { body: { swap: { 'payment-hub': swap } } });
    return body.errors.map(({ pointer, code, detail }: Record<string, string>) => `${pointer} ${code}: ${detail}`);
  };
  const kept = 'In the mode kept, no real system';
  const ofCalls = { url: 'http://localhost:1', keep: true, headers: { A: 'x' }, timeoutMs: 60, events: 'none' };
  expect(await refused({ mode: 'kept', ...ofCalls, shadow: 'reads', compare: ['state'] })).toEqual([
    `/swap/payment-hub/url not_together: ${kept} is called: leave the address out.`,
    `/swap/payment-hub/keep not_together: ${kept} answers: leave this out.`,
    `/swap/payment-hub/headers not_together: ${kept} is called: leave the headers out.`,
    '/swap/payment-hub/timeoutMs not_together: The mode kept calls no real system: leave this out.',
    `/swap/payment-hub/events not_together: ${kept} gets events: leave this out.`,
    '/swap/payment-hub/shadow not_together: Only the mode shadow has this: choose it, or leave this out.',
    '/swap/payment-hub/compare not_together: Only the mode shadow compares: choose it, or leave this out.',
    '/swap/payment-hub/answers required: Give the answers that were kept.',
  ]);
  expect(await refused({ answers: {} })).toEqual([
    '/swap/payment-hub/answers not_together: Only the mode kept has answers: choose it, or leave them out.',
    '/swap/payment-hub/url required: Give the address of the real system.',
  ]);
  expect(await refused({ mode: 'kept', answers: { 'void-payment': [], 'get-order-api': [] } })).toEqual([
    '/swap/payment-hub/answers/void-payment unknown_operation: payment-hub has no operation void-payment. Did you mean void-payment-api?',
    expect.stringContaining('/swap/payment-hub/answers/get-order-api unknown_operation: payment-hub has no operation get-order-api.'),
  ]);
  const headers = { A: ' blank', a: 'x', 'not a name': 'x' };
  expect(await refused({ mode: 'shadow', url: 'http://127.0.0.1:99999', compare: ['stat'], headers })).toEqual([
    '/swap/payment-hub/url invalid_address: The port 99999 does not exist: use one from 1 to 65535.',
    '/swap/payment-hub/headers/A invalid_format: This must be visible ASCII, without blanks at its ends.',
    '/swap/payment-hub/headers/a invalid_header: This is the same header as A: keep one of them.',
    '/swap/payment-hub/headers/not a name invalid_header: This is not the name of a header.',
    '/swap/payment-hub/compare/0 unknown_name: No answer of payment-hub has a member stat. Did you mean state?',
  ]);
  expect(await refused({ url: 'http://127.0.0.1:0' })).toEqual([expect.stringContaining('The port 0 does not exist')]);
});

const distinct = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1]));
const unlike = Array.from({ length: 600 }, (_, n) => Object.fromEntries(Array.from({ length: 10 }, (_none, m) => [`k${n}_${m}`, 1])));

test.each([
  ['more than 1,000 members in one object', 201, { items: [distinct(1_001)] }, '1,000 members in one object'],
  ['objects of more than 5,000 kinds', 201, { items: unlike }, '5,000 different names or sequences of members'],
  ['more than 1,000 members in a refusal', 409, distinct(1_001), '1,000 members in one object'],
] as const)('An answer with %s breaks the contract, real and in shadow, and is not kept', async (_what, status, answered, words) => {
  await using hub = await startPaymentHub(() => ({ status, body: answered }));
  for (const mode of ['real', 'shadow'] as const) {
    await using rehearsal = await newRehearsal(undefined, undefined, { 'payment-hub': { url: hub.url, mode, keep: true } });
    const { id: orderId } = await rehearsal.draft();
    const amount = { amount: 500, currency: 'EUR' };
    const { body } = await rehearsal.call('authorize-payment-api', { body: { orderId, tender: card(), amount } });
    if (mode === 'real') expect(body).toMatchObject({ status: 502, violation: 'wrong_shape', outside: true });
    else
      expect(await rehearsal.control('read-fidelity', { query: { timeoutMs: 5_000 } })).toMatchObject({
        items: [{ compared: 1, waiting: 0 }],
      });
    const detail = `The real payment-hub answered ${status} with JSON of more than ${words}.`;
    expect((await rehearsal.control('list-swaps')).items[0]?.violations).toMatchObject([{ name: 'wrong_shape', detail }]);
    const { answers } = await rehearsal.control('read-answers', { params: { application: 'payment-hub' } });
    expect(answers['authorize-payment-api']).toMatchObject([{ status, answer: null }]);
  }
});

test('A refusal is kept by its start without secrets, also if it has a list of more than 1,000 items', async () => {
  const items = Array.from({ length: 2_000 }, () => ({ password: 'p', pin: 4111111111111111, note: 'x'.repeat(100) }));
  await using hub = await startPaymentHub(() => ({ status: 409, body: { code: 'invalid_state_transition', detail: 'no', items } }));
  await using rehearsal = await newRehearsal(undefined, undefined, { 'payment-hub': { url: hub.url, keep: true } });
  const { id: orderId } = await rehearsal.draft();
  const amount = { amount: 500, currency: 'EUR' };
  const { body } = await rehearsal.call('authorize-payment-api', { body: { orderId, tender: card(), amount } });
  expect(body).toMatchObject({ status: 409, code: 'invalid_state_transition', detail: expect.stringContaining('no') });
  const { answers } = await rehearsal.control('read-answers', { params: { application: 'payment-hub' } });
  const kept = answers['authorize-payment-api']?.[0]?.answer as { readonly items: readonly object[] };
  expect(kept.items[0]).toEqual({ password: 'redacted', pin: 0, note: 'x'.repeat(100) });
  expect(kept.items.length).toBeGreaterThan(100);
  expect(kept.items.length).toBeLessThan(500);
});

test('A rehearsal keeps answers of at most 4 Mi characters in all', async () => {
  await using hub = await startPaymentHub((_request, honest) => {
    const { status, body } = honest();
    return { status, body: { ...(body as object), authorizationCode: 'x'.repeat(900_000) } };
  });
  await using rehearsal = await newRehearsal(undefined, undefined, { 'payment-hub': { url: hub.url, keep: true } });
  const { id: orderId } = await rehearsal.draft();
  for (let round = 0; round < 6; round++) {
    await rehearsal.call('authorize-payment-api', { body: { orderId, tender: card(), amount: { amount: 500, currency: 'EUR' } } });
  }
  const { answers } = await rehearsal.control('read-answers', { params: { application: 'payment-hub' } });
  expect(answers['authorize-payment-api']).toHaveLength(4);
});

test('Reading kept answers takes a turn for each answer, twice', async () => {
  let turns = 0;
  const breathe = (): undefined => void turns++;
  const one = { api: 'authorize-payment-api', request: {}, status: 200, answer: null, now: 0 };
  await keptAnswers(Array(50).fill(one), breathe);
  expect(turns).toBe(100);
});
