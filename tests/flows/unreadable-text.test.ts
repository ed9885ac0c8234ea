import { expect, test as plainTest } from '@jest/globals';
import fc from 'fast-check';
import { runsOf, someOf } from '../support/effort.ts';
import { ADMIN, estate, newRehearsal } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';
import { type Target, targets, targetsWithBody } from './targets.ts';

const test = testIn(newRehearsal);

/** JSON escapes that are not valid text. */
const NOT_TEXT = ['\\ud800', 'before\\udfff', '\\ud800\\ud800', '\\udc00\\ud800', '\\u0000', 'a\\u0000b'];
const PLACEHOLDER = '(not text)';

/** A JSON value, and the pointer of its only string that is not valid text. */
interface Poisoned {
  readonly value: unknown;
  readonly pointer: string;
}
const poisoned: fc.Arbitrary<Poisoned> = fc.letrec<{ tree: Poisoned }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.constant({ value: PLACEHOLDER, pointer: '' }),
    fc
      .tuple(fc.constantFrom('sku', 'a/b', 'c~d', 'shippingAddress', 'note', '__proto__'), tie('tree'), fc.jsonValue({ maxDepth: 1 }))
      .map(([name, inner, beside]) => ({
        value: { beside, [name]: inner.value },
        pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}${inner.pointer}`,
      })),
    fc
      .tuple(fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 3 }), tie('tree'))
      .map(([before, inner]) => ({ value: [...before, inner.value], pointer: `/${before.length}${inner.pointer}` })),
  ),
})).tree;

const bodyOf = ({ method }: Target): string | undefined => (method === 'GET' ? undefined : '{}');

test.each(someOf(targetsWithBody, 0.5))(
  '$name refuses a string that is not valid text, anywhere in the body',
  async (rehearsal, { method, path, as }) => {
    await fc.assert(
      fc.asyncProperty(poisoned, fc.constantFrom(...NOT_TEXT), async ({ value, pointer }, encoded) => {
        const json = JSON.stringify(value).replace(PLACEHOLDER, encoded);
        fc.pre(json.includes(encoded));
        const errors = [{ pointer, code: 'not_text', detail: expect.any(String) }];
        expect(await rehearsal.call(method, path, json, { as })).toMatchObject({
          status: 422,
          body: { code: 'validation_failed', errors },
        });
      }),
      { numRuns: runsOf({ usually: 8, thoroughly: 60 }), endOnFailure: true },
    );
    const name = await rehearsal.call(method, path, '{"sku":"x","a\\ud800b":1}', { as });
    expect(name).toMatchObject({ status: 422, body: { errors: [{ pointer: '/a\ufffdb', code: 'not_text' }] } });
  },
);

test.each(
  someOf(
    targets.filter(({ parameters }) => parameters.length > 0),
    0.4,
  ),
)('$name refuses a query that is not valid text', async (rehearsal, target) => {
  const { method, path, parameters, as } = target;
  for (const name of parameters) {
    const ask = (value: string) => rehearsal.call(method, `${path}?${name}=${value}`, bodyOf(target), { as });
    expect(await ask('a%00b')).toMatchObject({ status: 422, body: { errors: [{ pointer: `?${name}`, code: 'not_text' }] } });
    for (const value of ['%ff', '%ed%a0%80', '%c0%80', 'a%e2%82', '%zz', '%'])
      expect({ value, ...(await ask(value)) }).toMatchObject({ value, status: 400, body: { code: 'malformed_request' } });
  }
});

test.each(
  someOf(
    targets.filter(({ template }) => template.includes('{')),
    0.5,
  ),
)('$name refuses path parameters that are not valid text', async (rehearsal, target) => {
  for (const encoded of ['%00', 'a%00b', '%ff', '%ed%a0%80', '%c0%80', '%e2%82']) {
    const path = target.template.replaceAll(/\{\w+\}/g, encoded);
    const reply = await rehearsal.call(target.method, path, bodyOf(target), { as: target.as });
    expect(reply).toMatchObject({ status: 400, body: { code: 'malformed_request', detail: expect.any(String) } });
  }
});

plainTest.each([
  ['a byte that UTF-8 does not have', [0xff]],
  ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
  ['Latin-1', [0xe9]],
])('A body with %s is refused by the APIs and the control plane', async (_what, bytes) => {
  const body = Buffer.concat([Buffer.from('{"channel":"web","note":"'), Buffer.from(bytes), Buffer.from('"}')]);
  for (const [path, token] of [
    ['/baskets', 'demo-integration-token'],
    ['/_control/rehearsals', ADMIN],
  ]) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const reply = await fetch(`${estate.gateway}${path}`, { method: 'POST', headers, body });
    const problem = { code: 'malformed_request', detail: expect.stringContaining('UTF-8') };
    expect([reply.status, await reply.json()]).toMatchObject([400, problem]);
  }
});

test('The journal has no invalid text of a refused body', async (rehearsal) => {
  const reply = await rehearsal.call('create-customer-api', { body: '{"name":"a\\ud800","email":"x@people.example"}' });
  const hops = await rehearsal.journal(String(reply.headers['x-correlation-id']));
  expect(hops).toMatchObject([{ api: 'create-customer-api', status: 422 }]);
  expect(JSON.stringify(hops)).not.toMatch(/\\ud[89a-f]/);
});

const escaped = (text: string): string =>
  `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;
const NAME = 'Zoë 李 😀 \u007f \u0001';

test.each([
  ['plain', JSON.stringify({ firstName: NAME, email: 'scripts@people.example' })],
  ['in escapes', `{"firstName":${escaped(NAME)},"email":"scripts@people.example"}`],
  ['after a byte order mark', `\ufeff${JSON.stringify({ firstName: NAME, email: 'scripts@people.example' })}`],
])('Text of every script is accepted unchanged: %s', async (rehearsal, _how, body) => {
  expect(await rehearsal.call('create-customer-api', { body })).toMatchObject({ status: 201, body: { firstName: NAME } });
});
