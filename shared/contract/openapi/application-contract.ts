import { apis } from '../../catalog/apis.ts';
import { type Application, applications } from '../../catalog/applications.ts';
import { type ApiDefinition, isMutating, servesAddition } from '../../catalog/define.ts';
import { callersOf, calls } from '../../catalog/flows.ts';
import { CorrelationId, IdempotencyKey } from '../../catalog/headers.ts';
import { internalCalls } from '../../catalog/internal-calls.ts';
import { objects } from '../../catalog/objects.ts';
import { dependencyProblems, type ProblemCode } from '../../catalog/problems.ts';
import { consumedBy } from '../../catalog/subscriptions.ts';
import { isSwappable } from '../../catalog/swap.ts';
import { inOneTurn, type Steps } from '../../domain/breathe.ts';
import { REHEARSAL_NAME } from '../../domain/ids.ts';
import { EVENT_SCHEMAS, eventPayload } from '../asyncapi/event-messages.ts';
import type { Part } from '../json-schemas.ts';
import { operationWithTitles, schemasWithTitles } from '../titles.ts';
import {
  Components,
  pathParameters,
  plainSchemaOf,
  queryParameters,
  RESPONSE_HEADERS,
  refusals,
  requestBody,
  requestHeader,
} from './components.ts';
import { exampleOf } from './examples.ts';
import { contentOf } from './operations.ts';

/** Everything that an application answers: its public APIs, and the calls that others and the control plane make. */
export const answeredBy = (application: Application): readonly ApiDefinition[] =>
  ([...Object.values(apis), ...Object.values(internalCalls)] as readonly ApiDefinition[]).filter((api) => api.application === application);

/** `must`: applications of the estate make this call. `may`: only clients or the control plane make it, or it serves an addition. */
export type Obligation = 'must' | 'may';

export const obligationOf = (api: ApiDefinition): Obligation => (callersOf(api.id).length > 0 && !servesAddition(api) ? 'must' : 'may');

/** Whether the estate sends an `Idempotency-Key` with a call. */
export const hasKey = (api: ApiDefinition): boolean => isMutating(api);

/** The refusals that the caller of a call receives. */
const contractProblems = (api: ApiDefinition): readonly ProblemCode[] => [
  ...api.problems.filter((code) => !(dependencyProblems as readonly ProblemCode[]).includes(code)),
  'malformed_request',
  'validation_failed',
];

/**
 * The contract of a real system that replaces an application, as OpenAPI 3.1: the calls that it answers, and the events that it receives.
 */
export const applicationContract = (application: Application, version: string): Part => inOneTurn(contractInSteps(application, version));

/** As `applicationContract`, with a step for each call. */
export function* contractInSteps(application: Application, version: string): Steps<Part> {
  const components = new Components();
  const paths: Record<string, Record<string, Part>> = {};
  for (const api of answeredBy(application)) {
    paths[api.path] = { ...paths[api.path], [api.method.toLowerCase()]: operationWithTitles(operationOf(api, components)) };
    yield;
  }
  if (consumedBy(application).length > 0) paths['/events'] = { post: operationWithTitles(receivingOperation(application, components)) };
  const responses = components.responses();
  const mayRetry = JSON.stringify([paths, responses]).includes('/headers/RetryAfter');
  const { title, owns } = applications[application];
  return {
    openapi: '3.1.0',
    info: {
      title: `${title}: contract of a real system`,
      version,
      description: descriptionOf(application),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: 'https://real-system.example', description: 'Your system, or an adapter in front of it.' }],
    security: [],
    tags: [{ name: title, description: `Owns ${owns}.` }],
    paths,
    components: {
      parameters: HEADERS,
      ...(mayRetry && { headers: { RetryAfter: RESPONSE_HEADERS['RetryAfter'] } }),
      schemas: schemasWithTitles({ ...components.schemas(), ...(paths['/events'] && EVENT_SCHEMAS), Problem: PROBLEM }),
      responses,
    },
    'x-life-cycles': Object.fromEntries(
      objects.filter(({ owner }) => owner === application).flatMap(({ type, lifeCycle }) => (lifeCycle ? [[type, lifeCycle]] : [])),
    ),
  };
}

function operationOf(api: ApiDefinition, components: Components): Part {
  const callers = callersOf(api.id);
  return {
    operationId: api.id,
    tags: [applications[api.application].title],
    summary: api.name,
    description: [api.summary, `Callers: ${callersInWords(api)}.`].join('\n\n'),
    parameters: [
      ...pathParameters(api.path, components),
      ...queryParameters(api.query, components),
      ...Object.keys(HEADERS)
        .filter((name) => name !== 'IdempotencyKey')
        .map(requestHeader),
      ...(hasKey(api) ? [requestHeader('IdempotencyKey')] : []),
    ],
    ...(api.method !== 'GET' && requestBody({ request: api.serviceRequest }, components, exampleOf(api.id).request)),
    responses: {
      [api.status]: { description: 'Done.', content: api.status === 204 ? undefined : contentOf(api, components) },
      ...(api.status === 201 && { 200: { description: 'A repeat: the object as it is.', content: contentOf(api, components) } }),
      ...refusals(contractProblems(api), components),
    },
    'x-obligation': obligationOf(api),
    'x-callers': callers,
  };
}

function callersInWords(api: ApiDefinition): string {
  const named = callersOf(api.id).map((caller) => applications[caller].title);
  return [...(api.audience === 'public' ? ['clients'] : named.length === 0 ? ['the control plane'] : []), ...named].join(', ');
}

function receivingOperation(application: Application, components: Components): Part {
  const received = consumedBy(application);
  const schemas = received.map((event) => eventPayload(event, components.schemaOf));
  return {
    operationId: 'receive-event',
    tags: [applications[application].title],
    summary: 'Receive Event',
    description: received
      .map(({ name, subscribers }) => `- \`${name}\`: ${subscribers?.find((one) => one.application === application)?.purpose}`)
      .join('\n'),
    parameters: ['Rehearsal', 'RehearsalNow', 'CorrelationId', 'Traceparent', 'IdempotencyKey'].map(requestHeader),
    requestBody: {
      required: true,
      content: { 'application/cloudevents+json': { schema: schemas.length === 1 ? schemas[0] : { oneOf: schemas } } },
    },
    responses: {
      '204': {
        description:
          'Received. Any 2xx ends the delivery. After no answer, 5xx, 401, 403, 408, 425 or 429 it is repeated, and after another 4xx it is parked.',
      },
      ...refusals(['validation_failed'], components),
    },
    'x-obligation': 'may',
  };
}

/** Headers that the estate sends, by the name of their component. */
const HEADERS: Part = {
  Rehearsal: header(
    'X-Rehearsal',
    'The rehearsal. Objects of one rehearsal are unknown in another.',
    { type: 'string', pattern: REHEARSAL_NAME.source },
    'default',
  ),
  RehearsalNow: header(
    'X-Rehearsal-Now',
    'The time of the rehearsal. Timestamps and expiries follow it, not the wall clock.',
    { type: 'string', format: 'date-time' },
    '2026-03-01T10:00:00.000Z',
  ),
  CorrelationId: header(
    'X-Correlation-Id',
    'Shared by all calls and events of one request.',
    plainSchemaOf(CorrelationId),
    'checkout-4711',
  ),
  Traceparent: {
    ...header(
      'traceparent',
      'W3C Trace Context, while tracing is on.',
      { type: 'string' },
      '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    ),
    required: false,
  },
  CallingApplication: {
    ...header(
      'X-Calling-Application',
      'The calling application. Absent when a client or the control plane calls.',
      { type: 'string' },
      'oms',
    ),
    required: false,
  },
  EstateCall: header(
    'X-Estate-Call',
    'A signed token of this call: rehearsal, chain of calls, deadline. Send it back unchanged with calls to the estate.',
    { type: 'string' },
    'eyJyZWhlYXJzYWwiOiJkZWZhdWx0In0.3q2-7w',
  ),
  IdempotencyKey: header(
    'Idempotency-Key',
    'The same for every attempt of one call. A key has one effect; a repeat gets the same answer.',
    plainSchemaOf(IdempotencyKey),
    '9b3a6f0e-4c1d-4f7a-8a57-2d1c6f3e9b10',
  ),
};

function header(name: string, description: string, schema: Part, example: string): Part {
  return { name, in: 'header', required: true, description, schema, example };
}

/** A refusal of a real system. The estate adds the other members of its refusals. */
const PROBLEM: Part = {
  description:
    'A refusal. The estate passes it on when the call may answer this code; otherwise, the status decides. Some codes have members, such as `declineCode` of a declined payment and `refundableAmount` of a refund that is too high.',
  type: 'object',
  required: ['code', 'detail'],
  properties: {
    code: { type: 'string', description: 'A code of `x-problem-codes`.' },
    detail: { type: 'string', description: 'A sentence for people.' },
  },
};

function descriptionOf(application: Application): string {
  const { title, owns } = applications[application];
  const back = calls[application];
  const owned = objects.filter(({ owner }) => owner === application);
  const quoted = (of: typeof owned): string => of.map(({ type }) => `\`${type}\``).join(', ');
  const withStates = owned.filter(({ lifeCycle }) => lifeCycle !== undefined);
  const place = isSwappable(application)
    ? `A system that offers these calls can take the place of the ${title} in a rehearsal. It then owns ${owns}.`
    : `The calls of the ${title}, which owns ${owns}. No real system takes its place in a rehearsal: other applications depend on work that it does later.`;
  return [
    `${place} Calls with \`x-obligation: must\` come from other applications of the estate. Calls with \`may\` come only from clients or from the control plane.`,
    'The system also keeps these rules:',
    [
      '- **One key, one effect.** A repeat with the same `Idempotency-Key` has the same body. It gets the first answer, even when the system stopped between effect and answer.',
      ...(withStates.length > 0
        ? [
            `- **States.** ${quoted(withStates)}: \`x-life-cycles\` lists each verb with its states. Any other move is refused with 409 \`invalid_state_transition\` and changes nothing. A state that the table cannot reach is refused with 502.`,
          ]
        : []),
      ...(owned.length > 0
        ? [
            `- **Changes without a call.** A change of ${quoted(owned)}, such as an expiry or what the system books for an event, is reported with \`POST /_control/events {"object":"…","data":{…}}\` at the gateway.`,
          ]
        : []),
      ...(back.length > 0
        ? [
            `- **Calls back.** With \`X-Estate-Call\`, the system may call ${back.map((id) => `\`${id}\``).join(', ')} at the gateway while it answers: \`POST /_control/calls/{id}\`. Later, it sends the value of \`estateCalls\` from the creation of the rehearsal.`,
          ]
        : []),
      ...(consumedBy(application).length > 0
        ? ['- **Events.** Delivery is at least once, in order per object. The system drops an `id` that it has seen.']
        : []),
      '- **Answers.** JSON in UTF-8 that fits the schema; further members are ignored. For any other answer the caller gets 502, for an answer after the deadline 504. The estate has no fallback.',
    ].join('\n'),
  ].join('\n\n');
}
