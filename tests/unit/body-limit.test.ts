import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { apis } from '../../shared/catalog/apis.ts';
import type { ControlOperation } from '../../shared/catalog/control/define-operation.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { BODY_BYTES, bodyLimit } from '../../shared/contract/body-limit.ts';
import type { SchemaPart } from '../../shared/contract/json-schemas.ts';
import { exampleOf } from '../../shared/contract/openapi/examples.ts';

const operations: readonly (ApiDefinition | ControlOperation)[] = [
  ...(Object.values(apis) as readonly ApiDefinition[]),
  ...(Object.values(controlOperations) as readonly ControlOperation[]).filter(({ body }) => body !== 'large'),
];

/** Texts at the end of what the patterns of the catalog accept. */
const LONGEST = ['EUR', '01234567890123', 'x'.repeat(40)];

/** A body whose texts and lists are all as long as its schema permits. */
function greatest(document: SchemaPart) {
  function of(schema: SchemaPart): unknown {
    const [, name] = /^#\/\$defs\/(\w+)$/.exec(schema.$ref ?? '') ?? [];
    if (name !== undefined) return of(document.$defs?.[name] ?? {});
    const longest = (choices: readonly unknown[]): unknown =>
      choices.reduce((a, b) => (JSON.stringify(b).length > JSON.stringify(a).length ? b : a));
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return longest(schema.enum);
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (alternatives) return longest(alternatives.map(of));
    if (schema.type === 'object') return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, of(one)]));
    if (schema.type === 'array') return Array(schema.maxItems ?? 2).fill(of(schema.items ?? {}));
    if (schema.type === 'string') {
      const { pattern } = schema;
      return LONGEST.findLast((text) => pattern !== undefined && new RegExp(pattern).test(text)) ?? 'é'.repeat(schema.maxLength ?? 100);
    }
    if (schema.type === 'boolean') return false;
    return schema.maximum ?? Number.MAX_SAFE_INTEGER;
  }
  return of(document);
}

const escaped = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll('é', '\\u00e9');

test.each(operations.map((operation) => [operation.id, operation] as const))(
  'The limit of the body of %s has room for the recorded example, and a derived one for the longest body, escaped and indented',
  (id, operation) => {
    const limit = bodyLimit(operation);
    const longest = greatest(z.toJSONSchema(operation.request, { io: 'input', unrepresentable: 'any' }) as SchemaPart);
    const isOwn = 'body' in operation && operation.body !== undefined;
    for (const body of [...(isOwn ? [] : [longest]), exampleOf(id).request ?? {}]) {
      const bytes = Buffer.byteLength(escaped(body));
      expect({ bytes, limit, fits: bytes <= limit }).toMatchObject({ fits: true });
    }
  },
);

test('Most APIs take at most 64 KiB, webhooks 128 KiB, and only the operations with data or headers of real systems 1 MiB', () => {
  const limits = operations.map(bodyLimit);
  expect(limits.filter((limit) => limit === 65_536).length).toBeGreaterThan(100);
  expect(limits.filter((limit) => limit < 65_536 || limit > BODY_BYTES)).toEqual([]);
  expect(bodyLimit(apis['carrier-webhook'])).toBe(131_072);
  expect(operations.filter((_, at) => limits[at] === BODY_BYTES).map(({ id }) => id)).toEqual([
    'create-rehearsal',
    'reset-rehearsal',
    'check-system',
  ]);
});

test('A call of a swapped application has room for the longest body of any API', () => {
  const longest = Math.max(...(Object.values(apis) as readonly ApiDefinition[]).map(bodyLimit));
  expect(bodyLimit(controlOperations['make-call'])).toBeGreaterThan(longest);
});

const Tree = z.strictObject({
  text: z.string().max(10),
  get more() {
    return Tree.optional();
  },
});
const LINE = z.strictObject({ text: z.string().max(100), of: z.enum(['a', 'b']) });

test.each<[string, z.ZodType, number]>([
  ['no member', z.strictObject({}), 65_536],
  ['two thousand lines of two texts', z.strictObject({ lines: z.array(LINE).max(2_000) }), BODY_BYTES],
  [
    'a hundred lines of two texts',
    z.strictObject({ lines: z.array(LINE).max(100) }),
    2 + 5 + 4 + 32 + 2 + 100 * (1 + 32 + 2 + 4 + 4 + 32 + 602 + 2 + 4 + 32 + 18),
  ],
  ['a text without a limit', z.strictObject({ text: z.string() }), BODY_BYTES],
  ['a list without a limit', z.strictObject({ texts: z.array(z.boolean()) }), BODY_BYTES],
  ['unknown members', z.looseObject({}), BODY_BYTES],
  ['itself as a member', Tree, BODY_BYTES],
  ['any value', z.strictObject({ value: z.unknown() }), BODY_BYTES],
  ['a text of a pattern with an end', z.strictObject({ code: z.string().regex(/^[A-Z]{3}-\d{1,9}$/) }), 65_536],
  ['a text of a pattern without an end', z.strictObject({ code: z.string().regex(/^[A-Z]+$/) }), BODY_BYTES],
  ['a text of a pattern with another alternative', z.strictObject({ code: z.string().regex(/^A|B$/) }), BODY_BYTES],
])('The limit of a body with %s follows from its schema', (_what, request, limit) => {
  expect(bodyLimit({ request })).toBe(limit);
});
