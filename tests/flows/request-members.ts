import { z } from 'zod';
import { apis } from '../../shared/catalog/apis.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';

interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** A member of a body or a query that has no inner members, by its pointer, such as `lines/0/sku`. */
interface Member {
  readonly api: ApiDefinition;
  readonly pointer: string;
  /** Whether any text fits. */
  readonly isText: boolean;
}

function leaves(schema: Schema, defs: Readonly<Record<string, Schema>>, path: readonly string[] = []): [string, Schema][] {
  if (schema.$ref !== undefined) return leaves(defs[schema.$ref.split('/').at(-1) ?? ''] ?? {}, defs, path);
  if (schema.items) return leaves(schema.items, defs, [...path, '0']);
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((one) => leaves(one, defs, path));
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => leaves(member, defs, [...path, name]));
  return alternatives.length + members.length > 0 ? [...members, ...alternatives] : [[path.join('/'), schema]];
}

/** Every member of the requests of the public APIs. */
export const requestMembers: readonly Member[] = (Object.values(apis) as readonly ApiDefinition[]).flatMap((api) =>
  [api.request, api.query].flatMap((section) => {
    const json = z.toJSONSchema(section, { io: 'input', unrepresentable: 'any' }) as Schema;
    return leaves(json, json.$defs ?? {}).map(([pointer, { type, enum: values, const: value }]) => {
      return { api, pointer, isText: type === 'string' && values === undefined && value === undefined };
    });
  }),
);
