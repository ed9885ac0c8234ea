import type { z } from 'zod';
import { apis } from '../../shared/catalog/apis.ts';
import type { ControlOperation } from '../../shared/catalog/control/define-operation.ts';
import { disputeOperations } from '../../shared/catalog/control/operations/disputes.ts';
import { outsideWorldOperations } from '../../shared/catalog/control/operations/outside-world.ts';
import { type ApiDefinition, changesSomething } from '../../shared/catalog/define.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { Instant, Money } from '../../shared/catalog/shapes.ts';
import { stateKinds as kinds, progressKinds, type StateKind } from '../../shared/catalog/state-kinds.ts';
import { type Member, membersOf } from '../../shared/contract/members.ts';

/** What forms need of the request schemas. The bundler evaluates this module, as `data/catalog.ts`. */

/** A value of a request that a person can type. */
export interface FormMember {
  // Its place in the body: `tender/type`, or `lines/*/qty` for each entry of a list.
  readonly at: string;
  readonly kind: 'text' | 'words' | 'number' | 'money' | 'flag';
  readonly isOptional?: true;
  readonly hint?: string;
  readonly choices?: readonly string[];
  readonly least?: number;
  readonly most?: number;
}

const KINDS: Readonly<Record<string, FormMember['kind']>> = { string: 'text', integer: 'number', number: 'number', boolean: 'flag' };

function formMembers(all: readonly Member[]): readonly FormMember[] {
  const placeOf = ({ path }: Member): string => path.join('/');
  const places = new Set(all.map(placeOf));
  return all.flatMap((member): readonly FormMember[] => {
    const at = placeOf(member);
    const { schema } = member;
    const isOf = (other: string): boolean => places.has(at.replace(/[^/]+$/, other));
    if (at.endsWith('/currency') && isOf('amount')) return [];
    const isMoney = at.endsWith('/amount') && isOf('currency');
    const isList = schema.type === 'array' && schema.items?.type === 'string';
    const kind = isMoney ? 'money' : isList ? 'words' : KINDS[schema.type ?? 'string'];
    if (kind === undefined) return [];
    return [
      {
        at: isMoney ? at.slice(0, -'/amount'.length) : at,
        kind,
        isOptional: member.required ? undefined : true,
        hint: isMoney ? undefined : schema.description,
        choices: schema.enum?.map(String),
        least: schema.minimum,
        most: schema.maximum,
      },
    ];
  });
}

const called: readonly (ApiDefinition | ControlOperation)[] = [
  ...(Object.values(apis) as readonly ApiDefinition[]).filter((api) => api.audience === 'public' && changesSomething(api)),
  ...outsideWorldOperations,
  ...disputeOperations,
];

/** The type of a business object. An answer may have members in addition to its published ones. */
const typeOf = (response: z.ZodType): string | undefined =>
  objects.find(({ schema }) => schema === response || (schema.shape['state'] && shapeOf(response)['state'] === schema.shape['state']))
    ?.type;

const shapeOf = (schema: z.ZodType): Readonly<Record<string, unknown>> => (schema as Partial<z.ZodObject>).shape ?? {};

/** By id of the API or of the operation: what it does, the members of its body, and the type of the object that it makes. */
export const forms = Object.fromEntries(
  called.map(({ id, summary, request, response, status }) => {
    const members = formMembers(membersOf(request, { inLists: true }));
    return [id, { does: summary, members, makes: status === 201 ? typeOf(response) : undefined }];
  }),
);

type Definition = { readonly type: string; readonly innerType?: z.ZodType };

/** The definition of a schema without its optionality. A description copies a schema and keeps its definition. */
function definitionOf({ def }: z.ZodType): Definition {
  const { innerType } = def as Definition;
  return innerType ? definitionOf(innerType) : def;
}

function withoutOptional(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as Definition;
  return innerType ? withoutOptional(innerType) : schema;
}

/** The schema of an entry of a list; another schema stays as it is. */
const entryOf = (schema: z.ZodType): z.ZodType => ('element' in schema ? (schema.element as z.ZodType) : schema);

/** How a list aligns a column: a number and an amount at the right. A template with several members is a text. */
function columnKind(schema: z.ZodType, template: string): 'text' | 'number' | 'time' {
  const path = /^\{([\w.]+)\}$/.exec(template)?.[1]?.split('.') ?? [];
  let at: z.ZodType | undefined = schema;
  for (const name of path) at = at && (shapeOf(entryOf(withoutOptional(at)))[name] as z.ZodType | undefined);
  const found = at && path.length > 0 ? definitionOf(at) : undefined;
  if (found === definitionOf(Instant)) return 'time';
  return found && (found === definitionOf(Money) || found.type === 'number') ? 'number' : 'text';
}

/** By type of object: the columns of its list, and the kinds of the values of its progress. */
export const tables: Readonly<
  Record<
    string,
    {
      readonly hasStates: boolean;
      readonly columns: readonly {
        readonly name: string;
        readonly kind: 'text' | 'number' | 'time';
        readonly isFurther?: true;
        readonly isMain?: true;
      }[];
      readonly progress: Readonly<Record<string, Readonly<Record<string, StateKind>>>>;
    }
  >
> = Object.fromEntries(
  objects.map(({ type, schema, lifeCycle, columns = {}, moreColumns = {}, derivedColumns = [], progress = {} }) => [
    type,
    {
      hasStates: lifeCycle !== undefined,
      columns: [
        ...Object.entries(columns).map(([name, template]) => ({ name, kind: columnKind(schema, template) })),
        ...Object.entries(moreColumns).map(([name, template]) => ({ name, kind: columnKind(schema, template), isFurther: true as const })),
        // All of them are amounts.
        ...derivedColumns.map((name) => ({ name, kind: 'number' as const, isFurther: true as const, isMain: true as const })),
      ],
      progress: Object.fromEntries(
        Object.entries(progress).map(([name, values]) => [
          name,
          Object.fromEntries(values.flatMap((value) => (progressKinds[name]?.[value] ? [[value, progressKinds[name][value]]] : []))),
        ]),
      ),
    },
  ]),
);

/** The kind of each state, by type of object. */
export const stateKinds: Readonly<Record<string, Readonly<Record<string, StateKind>>>> = kinds;
