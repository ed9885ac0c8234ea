import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { apis } from '../../shared/catalog/apis.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { newRehearsal } from '../support/estate.ts';

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

/** A body with this member alone: what else the body lacks has no effect on the refusal. */
const bodyWith = (member: string, currency: string): unknown =>
  member.split('/').reduceRight<unknown>((inner, name) => (name === '0' ? [inner] : { [name]: inner }), currency);

test('The currencies of requests are found in the catalog', () => {
  const expected = [
    'create-basket-api currency',
    'evaluate-promotions-api lines/0/unitPrice/currency',
    'validate-voucher-api amount/currency',
  ];
  expect(declared.map(({ api, member }) => `${api.id} ${member}`)).toEqual(expect.arrayContaining(expected));
});

test.each(declared)('The currency in $member of $api.id is refused unless it is EUR', async ({ api, member }) => {
  await using rehearsal = await newRehearsal();
  const path = api.path.replaceAll(/\{\w+\}/g, 'none');
  const send = async (currency: string) => (await rehearsal.call(api.method, path, bodyWith(member, currency))).body.errors ?? [];
  const pointer = `/${member}`;
  const refusal = { pointer, code: 'unsupported_currency', detail: 'This must be EUR, the currency of every price.' };
  for (const currency of ['ZZZ', 'USD', 'eur', '']) expect(await send(currency)).toContainEqual(refusal);
  expect(await send('EUR')).not.toContainEqual(expect.objectContaining({ pointer }));
});
