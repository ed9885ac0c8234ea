import type { z } from 'zod';
import type { ControlOperation } from '../../catalog/control/define-operation.ts';
import { controlOperations } from '../../catalog/control/operations.ts';
import { JsonSchemas, type SchemaPart } from '../json-schemas.ts';
import { code, firstSentence, list } from './markdown.ts';

const operations = Object.values(controlOperations) as readonly ControlOperation[];

/** Every operation of the control plane in a sentence, with the names of the members that it takes. The OpenAPI document has the rest. */
export function controlOperationSections(): string {
  return operations.map(section).join('\n\n');
}

function section(operation: ControlOperation): string {
  const { id, method, path, summary, plays } = operation;
  const members = [...membersOf(operation.query), ...(method === 'GET' ? [] : membersOf(operation.request))];
  const last = [
    ...(plays === undefined || plays.by !== undefined ? [] : [`Verbs: ${list(plays.verbs.map(code))}.`]),
    ...(members.length === 0 ? [] : [`Members: ${list(members)}.`]),
  ];
  return [`### ${id}`, code(`${method} ${path}`), [firstSentence(summary), ...last].join(' ')].join('\n\n');
}

function membersOf(schema: z.ZodType): string[] {
  const schemas = new JsonSchemas('draft-2020-12');
  const root = schemas.of(schema, 'input') as SchemaPart;
  const name = (root.$ref ?? root.allOf?.[0]?.$ref)?.split('/').at(-1);
  const { properties = {}, required = [] } = name === undefined ? root : (schemas.all()[name] as SchemaPart);
  return Object.entries(properties).map(
    ([member, { default: preset }]) => `${code(member)}${required.includes(member) && preset === undefined ? ' (required)' : ''}`,
  );
}
