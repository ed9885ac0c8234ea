import type { z } from 'zod';
import type { ControlOperation } from '../../catalog/control/define-operation.ts';
import { controlOperations } from '../../catalog/control/operations.ts';
import { JsonSchemas, type Part, type SchemaPart } from '../json-schemas.ts';
import { code, list, table } from './markdown.ts';

const operations = Object.values(controlOperations) as readonly ControlOperation[];

/** Every operation of the control plane: an overview, and a section with the members that it takes. */
export function controlOperationSections(): string {
  const overview = table(
    ['Operation', 'Method and path', 'What it does'],
    operations.map(({ id, method, path, summary }) => [`[${id}](#${id})`, code(`${method} ${path}`), summary]),
  );
  return [overview, ...operations.map(section)].join('\n\n');
}

function section(operation: ControlOperation): string {
  const { id, method, path, summary, status, problems, plays } = operation;
  const query = memberTable(operation.query);
  const body = method === 'GET' ? '' : memberTable(operation.request);
  return [
    `### ${id}`,
    code(`${method} ${path}`),
    summary,
    ...(plays === undefined || plays.by !== undefined ? [] : [`Verbs: ${list(plays.verbs.map(code))}.`]),
    ...(query === '' ? [] : ['Query:', query]),
    ...(body === '' ? [] : ['Body:', body]),
    `Answers with ${status}.${problems.length === 0 ? '' : ` Refuses with ${list(problems.map(linked))}.`}`,
  ].join('\n\n');
}

const linked = (problem: string): string => `[${code(problem)}](problems.md#${problem})`;

/** A longer enumeration is shown as its number of values. A page that is linked beside the table lists the values. */
const LONGEST_ENUMERATION = 14;

/** The members of a query or a body as a table. Members of nested objects have a path. Empty without members. */
function memberTable(schema: z.ZodType): string {
  const schemas = new JsonSchemas('draft-2020-12');
  const root = schemas.of(schema, 'input') as SchemaPart;
  const named = schemas.all();
  const rows = membersOf(resolved(root, named), named, '');
  return rows.length === 0 ? '' : table(['Member', 'Value', 'Description'], rows);
}

function membersOf({ properties = {}, required = [] }: SchemaPart, named: Part, prefix: string): string[][] {
  return Object.entries(properties).flatMap(([name, member]) => {
    const target = resolved(member, named);
    const row = [
      `${code(prefix + name)}${required.includes(name) && member.default === undefined ? ', required' : ''}`,
      valueText(target),
      describe({ ...target, ...member }),
    ];
    const inner = target.type === 'array' && target.items ? resolved(target.items, named) : target;
    const path = target.type === 'array' ? `${prefix}${name}[].` : `${prefix}${name}.`;
    return [row, ...membersOf(inner, named, path)];
  });
}

function resolved(member: SchemaPart, named: Part): SchemaPart {
  const name = (member.$ref ?? member.allOf?.[0]?.$ref)?.split('/').at(-1);
  return name === undefined ? member : (named[name] as SchemaPart);
}

function valueText({ type, enum: values, const: only, format, minimum, maximum, anyOf, oneOf }: SchemaPart): string {
  if (only !== undefined) return code(String(only));
  if (values !== undefined) {
    if (values.length > LONGEST_ENUMERATION) return `one of ${values.length} names`;
    return values.map((value) => code(String(value))).join(', ');
  }
  const alternatives = anyOf ?? oneOf;
  if (type === undefined && alternatives !== undefined) return `one of ${alternatives.map(alternativeText).join(', ')}`;
  const range = minimum !== undefined || maximum !== undefined ? `, ${minimum ?? '…'} to ${maximum ?? '…'}` : '';
  return `${format ?? type ?? 'any'}${range}`;
}

/** An object of a union by its constant member, with the names of its other members. */
function alternativeText({ properties = {}, type }: SchemaPart): string {
  const constant = Object.values(properties).find((member) => member.const !== undefined);
  const others = Object.entries(properties).filter(([, member]) => member !== constant);
  const members = others.length === 0 ? '' : ` with ${others.map(([name]) => code(name)).join(', ')}`;
  return constant === undefined ? `${type ?? 'an object'}${members}` : `${code(String(constant.const))}${members}`;
}

const describe = ({ description = '', default: preset }: SchemaPart): string =>
  [description, preset === undefined || description.includes('Default') ? '' : `Default: ${code(JSON.stringify(preset))}.`]
    .filter((part) => part !== '')
    .join(' ');
