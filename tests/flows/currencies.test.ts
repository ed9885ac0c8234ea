import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { apis } from '../../shared/catalog/apis.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

interface Schema {
  readonly $ref?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Paths of all members with a currency, such as `amount.currency` or `lines.*.unitPrice.currency`. */
function currencies(schema: Schema, defs: Readonly<Record<string, Schema>>, path: readonly string[] = []): string[] {
  if (schema.$ref !== undefined) return currencies(defs[schema.$ref.split('/').at(-1) ?? ''] ?? {}, defs, path);
  if (schema.items) return currencies(schema.items, defs, [...path, '0']);
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((one) => currencies(one, defs, path));
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    name === 'currency' ? [[...path, name].join('/')] : currencies(member, defs, [...path, name]),
  );
  return [...members, ...alternatives];
}

const declared = (Object.values(apis) as readonly ApiDefinition[]).flatMap((api) => {
  const json = z.toJSONSchema(api.request, { io: 'input', unrepresentable: 'any' }) as Schema;
  return [...new Set(currencies(json, json.$defs ?? {}))].map((member) => ({ api, member }));
});

/** A body with this member alone: a currency is refused whatever else the body lacks. */
const bodyWith = (member: string, currency: string): unknown =>
  member.split('/').reduceRight<unknown>((inner, name) => (name === '0' ? [inner] : { [name]: inner }), currency);

let rehearsal: TestRehearsal;
beforeAll(async () => {
  rehearsal = await newRehearsal();
});
afterAll(() => rehearsal[Symbol.asyncDispose]());

describe('A currency in a request', () => {
  test('is found in the catalog where money is sent', () => {
    expect(declared.map(({ api, member }) => `${api.id} ${member}`)).toEqual(
      expect.arrayContaining([
        'create-basket-api currency',
        'evaluate-promotions-api lines/0/unitPrice/currency',
        'validate-voucher-api amount/currency',
      ]),
    );
  });

  test.each(declared.map(({ api, member }) => [`${api.id} ${member}`, api, member] as const))(
    'is refused unless it is EUR, in the same words for every other text: %s',
    async (_name, api, member) => {
      const path = api.path.replaceAll(/\{\w+\}/g, 'none');
      for (const currency of ['ZZZ', 'USD', 'eur', '']) {
        const { status, body } = await rehearsal.call(api.method, path, bodyWith(member, currency));
        expect(status).toBe(422);
        expect(body.errors).toContainEqual({
          pointer: `/${member}`,
          code: 'unsupported_currency',
          detail: 'This must be EUR, the currency of every price.',
        });
      }
      const { body } = await rehearsal.call(api.method, path, bodyWith(member, 'EUR'));
      expect(body.errors ?? []).not.toContainEqual(expect.objectContaining({ pointer: `/${member}` }));
    },
  );
});
