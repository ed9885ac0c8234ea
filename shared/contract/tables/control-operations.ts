import type { z } from 'zod';
import type { ControlOperation } from '../../catalog/control/define-operation.ts';
import { controlOperations } from '../../catalog/control/operations.ts';
import { JsonSchemas, type Part, type SchemaPart } from '../json-schemas.ts';
import { code, list, table } from './markdown.ts';

const operations = Object.values(controlOperations) as readonly ControlOperation[];

/** Every operation of the control plane: an overview, and a section with the members that it takes. */
export function controlOperationSections(): string {
  const overview = table(
    ['Operation', 'Method and path'],
    operations.map(({ id, method, path }) => [`[${id}](#${id})`, code(`${method} ${path}`)]),
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

/** The members of a query or a body as a table. Members of nested objects have a path; equal objects are shown once. Empty without members. */
function memberTable(schema: z.ZodType): string {
  const schemas = new JsonSchemas('draft-2020-12');
  const root = schemas.of(schema, 'input') as SchemaPart;
  const named = schemas.all();
  const rows = membersOf(resolved(root, named), named, '');
  return rows.length === 0 ? '' : table(['Member', 'Value', 'Description'], rows);
}

function membersOf({ properties = {}, required = [] }: SchemaPart, named: Part, prefix: string): string[][] {
  const alike = Map.groupBy(Object.entries(properties), ([name, member]) => {
    const whole = { ...resolved(member, named), ...member };
    return whole.properties === undefined ? name : JSON.stringify(whole);
  });
  return [...alike.values()].flatMap((members) => {
    const [[name, member], ...others] = members as [[string, SchemaPart], ...[string, SchemaPart][]];
    const target = resolved(member, named);
    const inner = target.type === 'array' && target.items ? resolved(target.items, named) : target;
    const row = [
      `${code(prefix + name)}${required.includes(name) && member.default === undefined ? ', required' : ''}`,
      target.type === 'array' && alternativesOf(inner) ? `array; each ${valueText(inner)}` : valueText(target),
      others.length > 0 ? `The same for ${list(others.map(([other]) => code(other)))}.` : describe({ ...target, ...member }),
    ];
    const path = target.type === 'array' ? `${prefix}${name}[].` : `${prefix}${name}.`;
    return [row, ...membersOf(inner, named, path)];
  });
}

function resolved(member: SchemaPart, named: Part): SchemaPart {
  const name = (member.$ref ?? member.allOf?.[0]?.$ref)?.split('/').at(-1);
  return name === undefined ? member : (named[name] as SchemaPart);
}

/** The forms of a value that is a union. */
const alternativesOf = ({ type, anyOf, oneOf }: SchemaPart): readonly SchemaPart[] | undefined =>
  type === undefined ? (anyOf ?? oneOf) : undefined;

function valueText(part: SchemaPart): string {
  const { type, enum: values, const: only, format, minimum, maximum } = part;
  if (only !== undefined) return code(String(only));
  if (values !== undefined) {
    if (values.length > LONGEST_ENUMERATION) return `one of ${values.length} names`;
    return values.map((value) => code(String(value))).join(', ');
  }
  const alternatives = alternativesOf(part);
  if (alternatives !== undefined) return `one of ${alternatives.map(alternativeText).join('; ')}`;
  const range = minimum !== undefined || maximum !== undefined ? `, ${minimum ?? '…'} to ${maximum ?? '…'}` : '';
  return `${format ?? type ?? 'any'}${range}`;
}

/** An object of a union by its constant member, with the names of its other members. */
function alternativeText({ properties = {}, type }: SchemaPart): string {
  const constant = Object.entries(properties).find(([, member]) => member.const !== undefined);
  const others = Object.entries(properties).filter(([name]) => name !== constant?.[0]);
  const members = others.length === 0 ? '' : ` with ${others.map(([name]) => code(name)).join(', ')}`;
  return constant === undefined ? `${type ?? 'an object'}${members}` : `${code(`${constant[0]}: ${constant[1].const}`)}${members}`;
}

const describe = ({ description = '', default: preset }: SchemaPart): string =>
  [description, preset === undefined || description.includes('Default') ? '' : `Default: ${code(JSON.stringify(preset))}.`]
    .filter((part) => part !== '')
    .join(' ');
