import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { apis } from '../../shared/catalog/apis.ts';
import type { ControlOperation } from '../../shared/catalog/control/define-operation.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { runsOf, someOf } from '../support/effort.ts';
import { estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';

/** JSON escapes that are not valid text and must never be stored or passed on. */
const NOT_TEXT = ['\\ud800', 'before\\udfff', '\\ud800\\ud800', '\\udc00\\ud800', '\\u0000', 'a\\u0000b'];
const PLACEHOLDER = '(not text)';

type Operation = Pick<ApiDefinition, 'id' | 'method' | 'path' | 'query' | 'request'>;
interface Target {
  readonly name: string;
  readonly operation: Operation;
  readonly as: 'bearer' | 'api-key' | 'admin' | 'none';
}

const targets: readonly Target[] = [
  ...(Object.values(apis) as unknown as ApiDefinition[]).map((api): Target => {
    const as = api.auth === 'api-key' ? 'api-key' : api.auth === 'signature' ? 'none' : 'bearer';
    return { name: api.name, operation: api, as };
  }),
  ...(Object.values(controlOperations) as readonly ControlOperation[]).map(
    (operation): Target => ({ name: `${operation.method} ${operation.path}`, operation, as: 'admin' }),
  ),
];
const withBody = targets.filter(({ operation }) => operation.method === 'POST' || operation.method === 'PUT');

const pathOf = ({ path }: Operation): string => path.replaceAll(/\{(\w+)\}/g, 'nothing');

const send = (rehearsal: TestRehearsal, { operation, as }: Target, path: string, body?: string) =>
  rehearsal.call(operation.method, path, body, { as });

/** A JSON value, and the pointer of its only string that is not valid text. */
const poisoned: fc.Arbitrary<{ readonly value: unknown; readonly pointer: string }> = fc.letrec<{
  tree: { readonly value: unknown; readonly pointer: string };
}>((tie) => ({
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

describe.each(someOf(withBody, 0.5))('$name', (target) => {
  test('refuses a string that is not valid text with 422 and its pointer, anywhere in the body', async () => {
    await using rehearsal = await newRehearsal();
    await fc.assert(
      fc.asyncProperty(poisoned, fc.constantFrom(...NOT_TEXT), async ({ value, pointer }, encoded) => {
        const json = JSON.stringify(value).replace(PLACEHOLDER, encoded);
        fc.pre(json.includes(encoded));
        expect(await send(rehearsal, target, pathOf(target.operation), json)).toMatchObject({
          status: 422,
          body: { code: 'validation_failed', errors: [{ pointer, code: 'not_text', detail: expect.any(String) }] },
        });
      }),
      { numRuns: runsOf({ usually: 8, thoroughly: 60 }), endOnFailure: true },
    );
    const names = await send(rehearsal, target, pathOf(target.operation), '{"sku":"x","a\\ud800b":1}');
    expect(names).toMatchObject({ status: 422, body: { errors: [{ pointer: '/a\ufffdb', code: 'not_text' }] } });
  });
});

describe.each(
  someOf(
    targets.filter(({ operation }) => Object.keys(operation.query.shape).length > 0),
    0.4,
  ),
)('$name', (target) => {
  const names = Object.keys(target.operation.query.shape);

  test('refuses a query with NUL with 422 and the name of the parameter', async () => {
    await using rehearsal = await newRehearsal();
    for (const name of names) {
      const reply = await send(rehearsal, target, `${pathOf(target.operation)}?${name}=a%00b`, bodyOf(target));
      expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer: `?${name}`, code: 'not_text' }] } });
    }
  });

  test.each(['%ff', '%ed%a0%80', '%c0%80', 'a%e2%82', '%zz', '%'])('refuses a query with %s, which is not UTF-8', async (encoded) => {
    await using rehearsal = await newRehearsal();
    for (const name of names) {
      const reply = await send(rehearsal, target, `${pathOf(target.operation)}?${name}=${encoded}`, bodyOf(target));
      expect(reply).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
    }
  });
});

const bodyOf = ({ operation }: Target): string | undefined => (operation.method === 'GET' ? undefined : '{}');

describe.each(
  someOf(
    targets.filter(({ operation }) => operation.path.includes('{')),
    0.5,
  ),
)('$name', (target) => {
  test('refuses path parameters that are not valid text', async () => {
    await using rehearsal = await newRehearsal();
    for (const encoded of ['%00', 'a%00b', '%ff', '%ed%a0%80', '%c0%80', '%e2%82']) {
      const path = target.operation.path.replaceAll(/\{\w+\}/g, encoded);
      const reply = await send(rehearsal, target, path, bodyOf(target));
      expect(reply).toMatchObject({ status: 400, body: { code: 'malformed_request', detail: expect.any(String) } });
    }
  });
});

describe('A body that is not valid UTF-8', () => {
  const invalid: readonly (readonly [string, readonly number[]])[] = [
    ['a byte that UTF-8 does not have', [0xff]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
    ['NUL in two bytes', [0xc0, 0x80]],
    ['half a character', [0xe2, 0x82]],
    ['Latin-1', [0xe9]],
  ];

  test.each(invalid)('because of %s is refused with 400', async (_what, bytes) => {
    await using rehearsal = await newRehearsal();
    const body = Buffer.concat([Buffer.from('{"channel":"web","note":"'), Buffer.from(bytes), Buffer.from('"}')]);
    for (const [path, token] of [
      ['/baskets', rehearsal.credentials.bearer],
      ['/_control/rehearsals', 'demo-control-token'],
    ]) {
      const reply = await fetch(new URL(path ?? '', estate.gateway), {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body,
      });
      expect(reply.status).toBe(400);
      expect(await reply.json()).toMatchObject({ code: 'malformed_request', detail: expect.stringContaining('UTF-8') });
    }
  });

  test('leaves no invalid text in the journal', async () => {
    await using rehearsal = await newRehearsal();
    const reply = await rehearsal.call('create-customer-api', { body: '{"name":"a\\ud800","email":"x@people.example"}' });
    expect(reply.status).toBe(422);
    const hops = await rehearsal.journal(String(reply.headers['x-correlation-id']));
    expect(hops).toMatchObject([{ api: 'create-customer-api', status: 422 }]);
    expect(JSON.stringify(hops)).not.toMatch(/\\ud[89a-f]/);
    await rehearsal.verify();
  });
});

describe('Text of every script', () => {
  test('is accepted unchanged, also in escapes and with a byte order mark', async () => {
    await using rehearsal = await newRehearsal();
    const name = 'Zoë 李 😀 \u007f \u0001';
    for (const [index, json] of [
      (email: string) => JSON.stringify({ firstName: name, lastName: name, email }),
      (email: string) => `{"firstName":${escaped(name)},"lastName":${escaped(name)},"email":"${email}"}`,
      (email: string) => `\ufeff${JSON.stringify({ firstName: name, lastName: name, email })}`,
    ].entries()) {
      const made = await rehearsal.call('create-customer-api', { body: json(`scripts-${index}@people.example`) });
      expect(made).toMatchObject({ status: 201, body: { firstName: name } });
    }
  });
});

const escaped = (text: string): string =>
  `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;
