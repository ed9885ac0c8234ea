import { z } from 'zod';
import { apis } from '../catalog/apis.ts';
import { applications } from '../catalog/applications.ts';
import { type ApiDefinition, isMutating, namesRehearsal } from '../catalog/define.ts';
import { requestExamples } from '../catalog/examples.ts';
import { CorrelationId, IdempotencyKey, IfMatch } from '../catalog/headers.ts';
import { objects } from '../catalog/objects.ts';
import { commonProblems, MOST_ERRORS, type ProblemCode, problems } from '../catalog/problems.ts';
import { Id, Sku, VoucherCode } from '../catalog/shapes.ts';
import { FaultName } from '../catalog/simulation/faults.ts';
import { type ControlOperation, controlOperations } from '../catalog/simulation/operations.ts';
import { REHEARSAL_NAME } from '../domain/ids.ts';
import { JSON_LEVELS, JSON_MEMBERS } from '../domain/json-limits.ts';
import { JsonSchemas, type Part, sorted } from './json-schemas.ts';

const DESCRIPTION = `One consistent retailer to rehearse integrations on: the owning applications of a unified-commerce estate
behind one gateway, and the simulation plane that moves its clock, breaks it and looks into it.

Every request belongs to a rehearsal, an isolated world with its own data, clock, faults and events. A credential that is bound to
a rehearsal selects it, else the header \`X-Rehearsal\` does; without either it is \`default\`.

Money is in integer minor units. Refusals are \`application/problem+json\` (RFC 9457): branch on \`code\`. Bodies and queries are
strict: a member that is not described here is refused. Responses may gain members.

Bodies are JSON in UTF-8 of at most ${JSON_LEVELS} levels, with at most ${JSON_MEMBERS} members or items at each. NUL and lone surrogates are not text, and
are refused in every string. Instants may be written in any way that RFC 3339 has; they are kept and answered in UTC with milliseconds.`;

const SIMULATION_TAG = 'Simulation plane';

/** The public face of the estate as OpenAPI 3.1, derived from the catalog and the operations of the simulation plane. */
export function estateOpenApi(version: string): Part {
  const components = new Components();
  const publicApis = Object.values(apis) as readonly ApiDefinition[];
  const operations = Object.values(controlOperations) as readonly ControlOperation[];
  const paths = collectPaths([
    ...publicApis.map((api) => ({ path: api.path, method: api.method, operation: apiOperation(api, components) })),
    ...operations.map((control) => ({ path: control.path, method: control.method, operation: controlOperation(control, components) })),
  ]);
  const used = new Set(publicApis.map(({ application }) => application));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Unified commerce estate',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The gateway that serves this document.' }],
    tags: [
      ...Object.entries(applications)
        .filter(([name]) => used.has(name as keyof typeof applications))
        .map(([, { title, owns }]) => ({ name: title, description: `Owns ${owns}.` })),
      { name: SIMULATION_TAG, description: 'What a rehearsal needs and no real estate has: worlds, clock, faults, journal.' },
    ],
    paths,
    components: {
      securitySchemes: {
        ...Object.fromEntries(
          SCHEMES.filter(({ auth }) => publicApis.some((api) => api.auth === auth)).map(({ name, scheme }) => [name, scheme]),
        ),
        simulation: { type: 'http', scheme: 'bearer', description: 'A token with the scope sim:admin.' },
      },
      parameters: PARAMETERS,
      headers: HEADERS,
      schemas: { ...components.schemas(), Problem: PROBLEM },
      responses: components.responses(),
    },
  };
}

/** How a webhook is signed. */
export const SIGNATURE =
  'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` under the webhook secret of the rehearsal; webhook-id and webhook-timestamp (seconds) are headers too.';

const SCHEMES = [
  { auth: 'bearer', name: 'bearer', scheme: { type: 'http', scheme: 'bearer', description: 'An opaque token per consuming application.' } },
  { auth: 'api-key', name: 'apiKey', scheme: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The key of a carrier.' } },
  {
    auth: 'signature',
    name: 'signature',
    scheme: {
      type: 'apiKey',
      in: 'header',
      name: 'webhook-signature',
      description: SIGNATURE,
    },
  },
] as const;

const headerSchema = (header: z.ZodType): Part => new JsonSchemas('draft-2020-12').of(header, 'input');

const PARAMETERS: Part = {
  Rehearsal: {
    name: 'X-Rehearsal',
    in: 'header',
    description: 'The rehearsal this request belongs to, unless the credential is bound to one.',
    schema: { type: 'string', pattern: REHEARSAL_NAME.source, default: 'default' },
  },
  CorrelationId: {
    name: 'X-Correlation-Id',
    in: 'header',
    description:
      'Ties requests, internal calls and events together, and is given back. When it is absent, or of another form, one is made up.',
    schema: headerSchema(CorrelationId),
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Repeating the same request with the same key gives the stored answer and changes nothing. Kept for 24 hours of the rehearsal’s time.',
    schema: headerSchema(IdempotencyKey),
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the object as it was read; 412 when it has changed since.',
    schema: headerSchema(IfMatch),
    example: '"3"',
  },
};

const HEADERS: Part = {
  CorrelationId: { description: 'As sent, or made up.', schema: headerSchema(CorrelationId) },
  ETag: { description: 'The version of the object, quoted.', schema: { type: 'string' }, example: '"3"' },
  IdempotentReplayed: {
    description: 'Present when this is the stored answer to an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
  },
  RetryAfter: { description: 'Seconds to wait before the same request is worth sending again.', schema: { type: 'integer' } },
  WwwAuthenticate: { description: 'The scheme that is asked for.', schema: { type: 'string' } },
};

const PROBLEM: Part = {
  description: 'A refusal (RFC 9457). Some codes add members of their own, such as currentState and allowedFrom.',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'retryable'],
  properties: {
    type: { type: 'string', format: 'uri', examples: ['urn:uc:problem:not-found'] },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string' },
    instance: { type: 'string', description: 'Path of the request that was refused.' },
    code: { type: 'string', description: 'What clients branch on.' },
    objectType: { type: 'string' },
    id: { type: 'string', description: 'Of the object it is about.' },
    errors: {
      type: 'array',
      maxItems: MOST_ERRORS,
      items: {
        type: 'object',
        required: ['pointer', 'code', 'detail'],
        properties: {
          pointer: {
            type: 'string',
            description: 'JSON pointer into the body, `?name` of a query parameter, `{name}` of a path parameter, or the name of a header.',
          },
          code: { type: 'string' },
          detail: { type: 'string' },
        },
      },
    },
    errorsOmitted: { type: 'integer', minimum: 1, description: 'How many mistakes there are besides `errors`.' },
    retryable: { type: 'boolean', description: 'Whether the same request may succeed later.' },
  },
};

/** Named schemas and the refusals that several operations share, gathered while operations are written. */
class Components {
  readonly #schemas = new JsonSchemas('draft-2020-12');
  readonly #responses = new Map<string, Part>();

  schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Part => this.#schemas.of(schema, io);

  /** A refusal with one code is written once, under the name of the code. */
  responseOf(codes: readonly ProblemCode[]): Part {
    const [only, ...others] = codes;
    if (only === undefined || others.length > 0) return problemResponse(codes);
    const name = only
      .split('_')
      .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
      .join('');
    this.#responses.set(name, problemResponse(codes));
    return { $ref: `#/components/responses/${name}` };
  }

  schemas = (): Part => this.#schemas.all();
  responses = (): Part => sorted(this.#responses);
}

const examples: Readonly<Record<string, unknown>> = requestExamples;

interface PathEntry {
  readonly path: string;
  readonly method: string;
  readonly operation: Part;
}

function collectPaths(entries: readonly PathEntry[]): Part {
  const paths: Record<string, Record<string, Part>> = {};
  for (const { path, method, operation } of entries) {
    const item = paths[path] ?? {};
    item[method.toLowerCase()] = operation;
    paths[path] = item;
  }
  return paths;
}

function apiOperation(api: ApiDefinition, components: Components): Part {
  // A carrier repeats by webhook-id; it sends neither keys nor versions.
  const changes = isMutating(api) && api.auth !== 'signature';
  const guarded = changes && api.path.includes('{');
  return {
    operationId: api.id,
    tags: [applications[api.application].title],
    summary: api.name,
    description: `${api.summary}${api.emits.length > 0 ? `\n\nEvents: ${api.emits.map((name) => `\`${name}\``).join(', ')}.` : ''}`,
    security: SCHEMES.filter(({ auth }) => auth === api.auth).map(({ name }) => ({ [name]: [] })),
    parameters: [
      ...pathParameters(api.path, components),
      ...queryParameters(api.query, components),
      ...(namesRehearsal(api) ? [] : [ref('Rehearsal')]),
      ref('CorrelationId'),
      ...(changes ? [ref('IdempotencyKey')] : []),
      ...(guarded ? [ref('IfMatch')] : []),
    ],
    ...(api.method !== 'GET' && requestBody(api.request, components, examples[api.id])),
    responses: {
      ...successes(api, components),
      ...refusals(
        [
          ...api.problems,
          ...commonProblems,
          ...(api.auth === 'none' ? [] : (['unauthenticated'] as const)),
          ...(api.auth === 'bearer' || api.auth === 'api-key' ? (['forbidden', 'too_many_rehearsals'] as const) : []),
          ...(changes ? (['idempotency_in_progress', 'idempotency_key_reused', 'contention', 'store_full'] as const) : []),
          ...(guarded ? (['version_mismatch'] as const) : []),
          'unknown_rehearsal',
        ],
        components,
      ),
    },
  };
}

function controlOperation(control: ControlOperation, components: Components): Part {
  return {
    operationId: control.id,
    tags: [SIMULATION_TAG],
    summary: sentenceCase(control.id),
    description: control.summary,
    security: [{ simulation: [] }],
    parameters: [...pathParameters(control.path, components), ...queryParameters(control.query, components), ref('Rehearsal')],
    ...(control.method !== 'GET' && requestBody(control.request, components)),
    responses: {
      ...(control.status === 204
        ? { '204': { description: 'Done.' } }
        : { [control.status]: { description: 'Done.', content: json(components.schemaOf(control.response, 'output')) } }),
      ...refusals(
        [
          ...control.problems,
          ...commonProblems,
          ...(control.method === 'GET' ? [] : (['store_full'] as const)),
          ...(['unauthenticated', 'forbidden', 'unknown_rehearsal'] as const),
        ],
        components,
      ),
    },
  };
}

const sentenceCase = (id: string): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}`.replaceAll('-', ' ');
const ref = (parameter: string): Part => ({ $ref: `#/components/parameters/${parameter}` });
const headerRef = (header: string): Part => ({ $ref: `#/components/headers/${header}` });
const json = (schema: Part, example?: unknown): Part => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
});

/** What may stand for a name in braces. */
const PATH_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  id: Id,
  sku: Sku,
  code: VoucherCode,
  name: FaultName,
  rehearsal: z.string().regex(REHEARSAL_NAME),
  type: z.enum(objects.map(({ type }) => type) as [string, ...string[]]),
};

function pathParameters(path: string, components: Components): Part[] {
  const schemaOf = (name: string) => (path.startsWith('/_sim/rehearsals') ? PATH_SCHEMAS['rehearsal'] : PATH_SCHEMAS[name]) ?? Id;
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: components.schemaOf(schemaOf(name), 'input'),
  }));
}

function queryParameters(query: z.ZodObject, components: Components): Part[] {
  const { properties = {}, required = [] } = components.schemaOf(query, 'input') as {
    properties?: Record<string, Part>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

/** Nothing for an API without a body; a body is required only when an empty one would be refused. */
function requestBody(request: z.ZodType, components: Components, example?: unknown): Part {
  if (request instanceof z.ZodObject && Object.keys(request.shape).length === 0) return {};
  const required = !request.safeParse({}).success;
  return { requestBody: { required, content: json(components.schemaOf(request, 'input'), example) } };
}

function successes(api: ApiDefinition, components: Components): Part {
  const versioned = api.response instanceof z.ZodObject && 'version' in api.response.shape;
  const answer = (description: string): Part => ({
    description,
    headers: {
      'X-Correlation-Id': headerRef('CorrelationId'),
      ...(versioned && { ETag: headerRef('ETag') }),
      ...(isMutating(api) && api.auth !== 'signature' && { 'Idempotent-Replayed': headerRef('IdempotentReplayed') }),
    },
    ...(api.status !== 204 && {
      content:
        api.produces === 'application/json'
          ? json(components.schemaOf(api.response, 'output'))
          : { [api.produces]: { schema: { type: 'string', contentMediaType: api.produces } } },
    }),
  });
  if (api.status !== 201) return { [api.status]: answer(isMutating(api) ? 'Done, or done before.' : 'What was asked for.') };
  return { '200': answer('Done before: the object as it is, nothing changed.'), '201': answer('Done.') };
}

function refusals(codes: readonly ProblemCode[], components: Components): Part {
  const byStatus = Map.groupBy([...new Set(codes)], (code) => problems[code].status);
  return Object.fromEntries([...byStatus].map(([status, same]) => [status, components.responseOf(same)]));
}

function problemResponse(codes: readonly ProblemCode[]): Part {
  const status = codes[0] === undefined ? 500 : problems[codes[0]].status;
  const retryAfter = codes.some((code) => problems[code].retryable);
  return {
    description: codes.map((code) => problems[code].title).join('; '),
    ...((retryAfter || status === 401) && {
      headers: {
        ...(retryAfter && { 'Retry-After': headerRef('RetryAfter') }),
        ...(status === 401 && { 'WWW-Authenticate': headerRef('WwwAuthenticate') }),
      },
    }),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem', properties: { status: { const: status }, code: { enum: codes } } },
      },
    },
  };
}
