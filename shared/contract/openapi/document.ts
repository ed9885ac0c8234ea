import { apis } from '../../catalog/apis.ts';
import { type Application, applications } from '../../catalog/applications.ts';
import type { ControlOperation } from '../../catalog/control/define-operation.ts';
import { controlOperations } from '../../catalog/control/operations.ts';
import type { ApiDefinition } from '../../catalog/define.ts';
import { inOneTurn, type Steps } from '../../domain/breathe.ts';
import { JSON_LEVELS, JSON_MEMBERS, JSON_VALUES } from '../../domain/json-limits.ts';
import type { Part } from '../json-schemas.ts';
import { operationWithTitles, schemasWithTitles } from '../titles.ts';
import { CONTROL_SCHEME, Components, OAUTH_SCHEME, PROBLEM, REQUEST_HEADERS, RESPONSE_HEADERS, SCHEMES } from './components.ts';
import { apiOperation, CONTROL_TAG, controlOperation } from './operations.ts';

const DESCRIPTION = `One consistent simulated retailer for rehearsing integrations: the owning applications of a unified-commerce
estate behind one gateway, and a control plane that moves its clock, injects faults and inspects it.

Every request belongs to a rehearsal, an isolated world with its own data, clock, faults and events. A credential that is bound to
a rehearsal selects it. Other requests name it in the header \`X-Rehearsal\`, or use \`default\`.

Money is in integer minor units. Refusals are \`application/problem+json\` (RFC 9457): branch on \`code\`. Bodies and queries are
strict: undescribed members are refused. Responses may gain members.

Bodies are JSON in UTF-8, nested at most ${JSON_LEVELS} levels deep, with at most ${JSON_MEMBERS} members per object and ${JSON_MEMBERS} items per array,
and at most ${JSON_VALUES} values in all, except in the file of a snapshot. Strings with NUL or lone surrogates are refused. Instants may be in any form of RFC 3339. They are
stored and returned in UTC with milliseconds.`;

const publicApis = Object.values(apis) as readonly ApiDefinition[];
const operations = Object.values(controlOperations) as readonly ControlOperation[];

/**
 * The public interface of the estate as OpenAPI 3.1, derived from the catalog and the operations of the control plane.
 * @param server the address of the gateway; by default, clients resolve it against the address of the document
 */
export const estateOpenApi = (version: string, server?: string): Part => inOneTurn(openApiInSteps(version, server));

/** As `estateOpenApi`, with a step for each operation. */
export function* openApiInSteps(version: string, server = '/'): Steps<Part> {
  const components = new Components();
  const paths: Record<string, Record<string, Part>> = {};
  for (const { path, method, make } of [
    ...publicApis.map((api) => ({ path: api.path, method: api.method, make: () => apiOperation(api, components) })),
    ...operations.map((control) => ({ path: control.path, method: control.method, make: () => controlOperation(control, components) })),
  ]) {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationWithTitles(make()) };
    yield;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Unified commerce estate',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: server, description: 'The gateway that serves this document.' }],
    tags: tags(),
    paths,
    components: {
      securitySchemes: {
        ...Object.fromEntries(
          SCHEMES.filter(({ auth }) => publicApis.some((api) => api.auth === auth)).map(({ name, scheme }) => [name, scheme]),
        ),
        control: CONTROL_SCHEME,
        oauth: OAUTH_SCHEME,
      },
      parameters: REQUEST_HEADERS,
      headers: RESPONSE_HEADERS,
      schemas: schemasWithTitles({ ...components.schemas(), Problem: PROBLEM }),
      responses: components.responses(),
    },
  };
}

function tags(): Part[] {
  const used = new Set(publicApis.map(({ application }) => application));
  return [
    ...Object.entries(applications)
      .filter(([name]) => used.has(name as Application))
      .map(([, { title, owns }]) => ({ name: title, description: `Owns ${owns}.` })),
    { name: CONTROL_TAG, description: 'Controls that a rehearsal needs and no real estate has: worlds, clock, faults, journal.' },
  ];
}
