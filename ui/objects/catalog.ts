import type { z } from 'zod';
import { apis } from '../../shared/catalog/apis.ts';
import type { ControlOperation } from '../../shared/catalog/control/define-operation.ts';
import { disputeOperations } from '../../shared/catalog/control/operations/disputes.ts';
import { outsideWorldOperations } from '../../shared/catalog/control/operations/outside-world.ts';
import { type ApiDefinition, changesSomething } from '../../shared/catalog/define.ts';
import { objects } from '../../shared/catalog/objects.ts';
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
