import { z } from 'zod';
import { FaultName } from '../../catalog/control/faults.ts';
import { objects } from '../../catalog/objects.ts';
import { Id, Sku, VoucherCode } from '../../catalog/shapes.ts';
import { REHEARSAL_NAME } from '../../domain/ids.ts';
import type { Part } from '../json-schemas.ts';
import type { Components } from './components.ts';

/** Schemas of path parameters by name. Every other one is an id. */
const PATH_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  id: Id,
  sku: Sku,
  code: VoucherCode,
  name: FaultName,
  rehearsal: z.string().regex(REHEARSAL_NAME),
  type: z.enum(objects.map(({ type }) => type) as [string, ...string[]]),
};

export function pathParameters(path: string, components: Components): Part[] {
  const schemaOf = (name: string) => (path.startsWith('/_control/rehearsals') ? PATH_SCHEMAS['rehearsal'] : PATH_SCHEMAS[name]) ?? Id;
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: components.schemaOf(schemaOf(name), 'input'),
  }));
}

export function queryParameters(query: z.ZodObject, components: Components): Part[] {
  const { properties = {}, required = [] } = components.schemaOf(query, 'input') as {
    properties?: Record<string, Part>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
  }));
}
