import { z } from 'zod';
import { FaultName } from '../../catalog/control/faults.ts';
import { STREAM_CURSOR } from '../../catalog/control/operations/stream.ts';
import { WebhookName } from '../../catalog/control/webhooks.ts';
import { CorrelationId, IdempotencyKey, IfMatch } from '../../catalog/headers.ts';
import { objects } from '../../catalog/objects.ts';
import {
  dependencyProblems,
  MOST_ERRORS,
  MOST_MISTAKES,
  type ProblemCode,
  problems,
  problemType,
  retryableAtTimes,
} from '../../catalog/problems.ts';
import { Id, Sku, VoucherCode } from '../../catalog/shapes.ts';
import { REHEARSAL_NAME } from '../../domain/ids.ts';
import { JsonSchemas, type Part, sorted } from '../json-schemas.ts';
import type { RefusalExample } from './examples.ts';
import { examplesOfPath } from './path-examples.ts';

/** Maximum number of codes of a shared refusal. Longer lists occur in few operations. */
const MOST_SHARED = 4;

const inPascalCase = (code: ProblemCode): string =>
  code
    .split('_')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');

/** Collects named schemas and shared refusals while operations are written. */
export class Components {
  readonly #schemas = new JsonSchemas('draft-2020-12');
  readonly #responses = new Map<string, Part>();

  schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Part => this.#schemas.of(schema, io);

  /** A refusal with a few codes becomes a shared component, named after the codes. */
  responseOf(codes: readonly ProblemCode[]): Part {
    if (codes.length === 0 || codes.length > MOST_SHARED) return problemResponse(codes);
    const same = codes.toSorted();
    const name = same.map(inPascalCase).join('Or');
    this.#responses.set(name, problemResponse(same));
    return { $ref: `#/components/responses/${name}` };
  }

  schemas = (): Part => this.#schemas.all();
  responses = (): Part => sorted(this.#responses);
}

/**
 * The refusals of an operation, one response per status. The response with the status of the example contains the example, so it is not
 * shared.
 */
export function refusals(codes: readonly ProblemCode[], components: Components, example?: RefusalExample): Part {
  const byStatus = Map.groupBy([...new Set(codes)], (code) => problems[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => [
      status,
      status === example?.status ? problemResponse(same, example.body) : components.responseOf(same),
    ]),
  );
}

export const json = (schema: Part, example?: unknown): Part => ({ 'application/json': { schema, example } });

interface TakenBody {
  readonly request: z.ZodType;
  /** Limit of its bytes. */
  readonly most?: number | undefined;
}

/** Empty for an API without a body. A body is required only when an empty one would be refused. */
export function requestBody({ request, most }: TakenBody, components: Components, example?: unknown): Part {
  if (request instanceof z.ZodObject && Object.keys(request.shape).length === 0) return {};
  const required = !request.safeParse({}).success;
  const description = most === undefined ? undefined : `At most ${most.toLocaleString('en')} bytes, decoded.`;
  const content = json(components.schemaOf(request, 'input'), required ? example : (example ?? {}));
  return { requestBody: { description, required, content } };
}

/** The schema of a header or another value without named parts. */
export const plainSchemaOf = (header: z.ZodType): Part => new JsonSchemas('draft-2020-12').of(header, 'input');

/** Headers that a request may carry, by the name of their component. */
export const REQUEST_HEADERS: Part = {
  Rehearsal: {
    name: 'X-Rehearsal',
    in: 'header',
    // The schema has no default, because generated clients would send it even with a credential that is bound to another rehearsal.
    description: 'The rehearsal of this request, unless the credential is bound to one. Without either it is the rehearsal `default`.',
    schema: { type: 'string', pattern: REHEARSAL_NAME.source },
    example: 'default',
  },
  CorrelationId: {
    name: 'X-Correlation-Id',
    in: 'header',
    description:
      'Ties requests, internal calls and events together. The response repeats it. The gateway generates one when it is absent or malformed.',
    schema: plainSchemaOf(CorrelationId),
    example: 'checkout-4711',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'The same request with the same key is answered with the stored response and changes nothing. Keys are kept until 24 hours have passed both on the rehearsal’s clock and in wall time.',
    schema: plainSchemaOf(IdempotencyKey),
    example: '9b3a6f0e-4c1d-4f7a-8a57-2d1c6f3e9b10',
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'Id of the last frame received. The stream continues after it. Default: now.',
    schema: { type: 'string', pattern: STREAM_CURSOR.source },
    example: 'h0.e0',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'ETags of the object as it was read, separated by commas, or *. The answer is 412 when the object has none of them. Weak tags match nothing.',
    schema: plainSchemaOf(IfMatch),
    example: '*',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'ETags of versions that the client has, separated by commas, or *. The answer is 304 without a body when the object has one of them.',
    schema: plainSchemaOf(IfMatch),
    // Programs that import the document send its examples. No object has this version, so their reads get the object.
    example: '"0"',
  },
};

/** Headers that a response may carry, by the name of their component. */
export const RESPONSE_HEADERS: Part = {
  CorrelationId: { description: 'As sent, or generated.', schema: plainSchemaOf(CorrelationId), example: 'checkout-4711' },
  ETag: { description: 'The version of the object, quoted.', schema: { type: 'string' }, example: '"3"' },
  ContentDisposition: {
    description: 'The name under which to save the document.',
    schema: { type: 'string' },
    example: 'inline; filename="shipping-label.pdf"',
  },
  IdempotentReplayed: {
    description: 'Present when this is the stored response to an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  RetryAfter: { description: 'Seconds to wait before the same request may succeed.', schema: { type: 'integer' }, example: 1 },
  WwwAuthenticate: { description: 'The required authentication scheme.', schema: { type: 'string' }, example: 'Bearer' },
};

export const requestHeader = (name: string): Part => ({ $ref: `#/components/parameters/${name}` });

export const responseHeader = (name: string): Part => ({ $ref: `#/components/headers/${name}` });

/** Schemas of path parameters by name. Every other one is an id. */
const PATH_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  id: Id,
  sku: Sku,
  code: VoucherCode,
  name: FaultName,
  type: z.enum(objects.map(({ type }) => type) as [string, ...string[]]),
};

const REHEARSAL = z.string().regex(REHEARSAL_NAME);

/** @param verb an example of the move of an object that the last segment of the path names */
export function pathParameters(path: string, components: Components, verb?: string): Part[] {
  const examples = examplesOfPath(path, verb);
  const schemaOf = (name: string) => {
    if (path.startsWith('/_control/rehearsals')) return REHEARSAL;
    if (path.startsWith('/_control/webhooks') && name === 'name') return WebhookName;
    if (!path.startsWith('/_control') && name === 'type') return Id;
    return PATH_SCHEMAS[name] ?? Id;
  };
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: components.schemaOf(schemaOf(name), 'input'),
    example: examples[name],
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

/** The schema of every refusal. */
export const PROBLEM: Part = {
  description: 'A refusal (RFC 9457). The members after `retryable` belong to some codes only; a refusal may have further members.',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'retryable'],
  properties: {
    type: {
      type: 'string',
      format: 'uri-reference',
      description: 'Path at the gateway of a description with cause and remedy.',
      examples: [problemType('not_found')],
    },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string' },
    instance: { type: 'string', description: 'Path of the refused request.' },
    code: { type: 'string', description: 'Clients branch on this member.' },
    objectType: { type: 'string' },
    id: { type: 'string', description: 'Id of the object that the refusal is about.' },
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
    errorsOmitted: {
      type: 'integer',
      minimum: 1,
      description: `Number of further errors that \`errors\` omits. Counting ends at ${MOST_MISTAKES.toLocaleString('en')} errors.`,
    },
    retryable: { type: 'boolean', description: 'Whether the same request may succeed later.' },
    ...membersOfCodes(),
  },
};

/** Members that clients branch on. Each has the same form in all of its codes. */
function membersOfCodes(): Record<string, Part> {
  const of = (codes: readonly ProblemCode[], schema: Part, description: string): Part => ({
    ...schema,
    description: `${codes.map((code) => `\`${code}\``).join(', ')}: ${description}`,
  });
  const text = { type: 'string' };
  const whole = { type: 'integer', minimum: 0 };
  // A reference with a description needs allOf in generators of clients.
  const money = { allOf: [{ $ref: '#/components/schemas/Money' }] };
  const list = (item: Part): Part => ({ type: 'array', items: item });
  const units = (required: readonly string[], more: readonly string[]): Part => ({
    type: 'object',
    required,
    properties: Object.fromEntries([...required, ...more].map((name) => [name, /sku|Id$/.test(name) ? text : whole])),
  });
  return {
    declineCode: of(['payment_declined'], text, 'the reason.'),
    paymentId: of(['payment_declined', 'dependency_timeout'], text, 'the payment that was made.'),
    availableAmount: of(['payment_declined'], money, 'what a gift card or a redemption could pay.'),
    currentState: of(['invalid_state_transition', 'order_not_closed'], text, 'the state of the object.'),
    action: of(['invalid_state_transition', 'order_not_closed'], text, 'the refused verb.'),
    allowedFrom: of(['invalid_state_transition', 'order_not_closed'], list(text), 'the states that allow the verb.'),
    skus: of(
      ['insufficient_stock', 'reservation_expired'],
      list(units(['sku', 'requested'], ['available'])),
      'the quantities of each SKU that is short.',
    ),
    lines: of(
      ['return_quantity_exceeded', 'replacement_quantity_exceeded'],
      list(units(['orderLineId', 'requested'], ['returnable', 'replaceable'])),
      'the quantities of each line with too many units.',
    ),
    authorizedAmount: of(['capture_exceeds_authorized'], money, 'the most that can be captured.'),
    refundableAmount: of(['refund_exceeds_captured'], money, 'the most that can still be refunded.'),
    exchangedAmount: of(['refund_exceeds_captured'], money, 'what already pays for an exchange order.'),
    outstanding: of(['payment_incomplete', 'overpayment'], money, 'what is neither authorised nor captured.'),
    pending: of(
      ['payment_incomplete', 'overpayment'],
      list({ type: 'object', required: ['paymentId', 'amount'], properties: { paymentId: text, amount: money } }),
      'the payments that await approval.',
    ),
    existingCustomerId: of(['duplicate_customer'], text, 'the registered customer.'),
    matchedOn: of(['duplicate_customer'], list(text), 'email, phone or both.'),
    list: of(['limit_reached'], text, 'the full list.'),
    limit: of(['limit_reached', 'rehearsal_full', 'too_many_rehearsals'], whole, 'the most entries, or bytes.'),
    bytes: of(['rehearsal_full', 'too_many_rehearsals'], whole, 'the bytes in use.'),
    standing: of(['conflicting_repeat'], { type: 'object' }, 'the values of the existing object.'),
    differs: of(['conflicting_repeat'], list(text), 'the members that differ from the call with this reference.'),
    currentVersion: of(['version_mismatch'], whole, 'the present version.'),
    attemptsLeft: of(['wrong_code'], whole, 'the number of codes that may still be wrong.'),
    lockedUntil: of(['wrong_code'], { type: 'string', format: 'date-time' }, 'the instant until which every code is refused.'),
    waitingFor: of(['not_at_rest'], list(text), 'the open work.'),
    dependency: of(dependencyProblems, text, 'the application, the payment provider or the store.'),
  };
}

/** The extension that lists the codes of a refusal. Its schema is `Problem` alone, so that generated clients have one class for every refusal. */
const CODES = 'x-problem-codes';

/** A response that refuses with one of these codes, which all have the same status. */
function problemResponse(codes: readonly ProblemCode[], example?: unknown): Part {
  const status = codes[0] === undefined ? 500 : problems[codes[0]].status;
  const isRetryable = codes.some((code) => problems[code].retryable || retryableAtTimes.has(code));
  return {
    description: codes.map((code) => `\`${code}\`: ${problems[code].title}`).join('; '),
    ...((isRetryable || status === 401) && {
      headers: {
        ...(isRetryable && { 'Retry-After': responseHeader('RetryAfter') }),
        ...(status === 401 && { 'WWW-Authenticate': responseHeader('WwwAuthenticate') }),
      },
    }),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, example } },
    [CODES]: codes,
  };
}

/** How a webhook is signed, for both documents. */
export const SIGNATURE =
  'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`, keyed with the webhook secret of the rehearsal. The headers webhook-id and webhook-timestamp (seconds) carry the other two values.';

/** The security scheme of each kind of credential. */
export const SCHEMES = [
  {
    auth: 'bearer',
    name: 'bearer',
    scheme: {
      type: 'http',
      scheme: 'bearer',
      description: 'An opaque token per consuming application, or a token of POST /oauth/token with the scope catalog.',
    },
  },
  { auth: 'api-key', name: 'apiKey', scheme: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The key of a carrier.' } },
  { auth: 'signature', name: 'signature', scheme: { type: 'apiKey', in: 'header', name: 'webhook-signature', description: SIGNATURE } },
] as const;

/**
 * Access tokens that expire. They are bearer tokens, so operations name only the scheme `bearer` or `control`: as an alternative, this scheme
 * would make some generated clients send the token without `Bearer`.
 */
export const OAUTH_SCHEME: Part = {
  type: 'oauth2',
  description:
    'Tokens that expire on the clock of the rehearsal. Send one as a bearer token. Revoke one with POST /oauth/revoke (RFC 7009).',
  flows: {
    clientCredentials: {
      tokenUrl: '/oauth/token',
      scopes: { catalog: 'Calls the APIs.', control: 'Drives the control plane.' },
    },
  },
};

export const CONTROL_SCHEME: Part = {
  type: 'http',
  scheme: 'bearer',
  description: 'A token with the scope control: an opaque one, or one of POST /oauth/token.',
};
