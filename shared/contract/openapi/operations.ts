import { z } from 'zod';
import { applications } from '../../catalog/applications.ts';
import { type ControlOperation, isStream } from '../../catalog/control/define-operation.ts';
import { type ApiDefinition, changesSomething, isMutating, namesRehearsal } from '../../catalog/define.ts';
import { objects } from '../../catalog/objects.ts';
import { commonProblems, dependencyProblems, type ProblemCode } from '../../catalog/problems.ts';
import { bodyLimit } from '../body-limit.ts';
import { DRY_RUN, DRY_RUN_TYPE, DryRun } from '../dry-run.ts';
import type { Part } from '../json-schemas.ts';
import {
  type Components,
  json,
  pathParameters,
  queryParameters,
  refusals,
  requestBody,
  requestHeader,
  responseHeader,
  SCHEMES,
} from './components.ts';
import { exampleOf } from './examples.ts';

export function apiOperation(api: ApiDefinition, components: Components): Part {
  return {
    operationId: api.id,
    tags: [applications[api.application].title],
    summary: api.name,
    description: `${api.summary}${api.emits.length > 0 ? `\n\nEvents: ${api.emits.map((name) => `\`${name}\``).join(', ')}.` : ''}`,
    security: SCHEMES.filter(({ auth }) => auth === api.auth).map(({ name }) => ({ [name]: [] })),
    parameters: [
      ...pathParameters(api.path, components),
      ...queryParameters(api.query, components),
      ...(changesSomething(api) ? [DRY_RUN_PARAMETER] : []),
      ...(namesRehearsal(api) ? [] : [requestHeader('Rehearsal')]),
      requestHeader('CorrelationId'),
      ...(acceptsKeys(api) ? [requestHeader('IdempotencyKey')] : []),
      ...(isConditional(api) ? [requestHeader('IfMatch')] : []),
      ...(isCacheable(api) ? [requestHeader('IfNoneMatch')] : []),
    ],
    ...(api.method !== 'GET' && requestBody({ request: api.request, most: bodyLimit(api) }, components, exampleOf(api.id).request)),
    responses: { ...successes(api, components), ...refusals(problemsOf(api), components, exampleOf(api.id).refusal) },
    ...(changesSomething(api) && { 'x-dry-run': dryRunAnswer(components) }),
  };
}

/** A carrier repeats by webhook-id; it sends neither keys nor versions. */
const acceptsKeys = (api: ApiDefinition): boolean => isMutating(api) && api.auth !== 'signature';

/** Whether `If-Match` has an effect: the path names an object by its id, and a query answers that object. */
const isConditional = (api: ApiDefinition): boolean =>
  api.auth !== 'signature' && api.path.includes('{id}') && (isMutating(api) || isVersioned(api));

const isVersioned = (api: ApiDefinition): boolean => api.response instanceof z.ZodObject && 'version' in api.response.shape;

/** Whether `If-None-Match` has an effect. */
const isCacheable = (api: ApiDefinition): boolean => api.method === 'GET' && isVersioned(api);

/** The refusals of every API: the gateway forwards each request to an application, which may be down, slow or unreachable. */
function problemsOf(api: ApiDefinition): ProblemCode[] {
  const codes: ProblemCode[] = [...api.problems, ...commonProblems, ...dependencyProblems];
  // An API without a credential may get one: it selects the rehearsal.
  if (!namesRehearsal(api)) codes.push('unauthenticated');
  if (!namesRehearsal(api) && api.auth !== 'signature') codes.push('forbidden', 'too_many_rehearsals');
  if (acceptsKeys(api)) codes.push('idempotency_in_progress', 'idempotency_key_reused');
  if (isMutating(api)) codes.push('contention', 'store_full', 'rehearsal_full');
  if (isConditional(api)) codes.push('version_mismatch');
  codes.push('unknown_rehearsal');
  return codes;
}

function successes(api: ApiDefinition, components: Components): Part {
  const success = (description: string): Part => successOf(api, description, components);
  if (!isMutating(api)) {
    const known = { '304': { description: 'The client has this version: `If-None-Match` names it.', headers: headersOf(api) } };
    return { [api.status]: success('The requested data.'), ...(isCacheable(api) && known) };
  }
  if (!answersRepeats(api)) return { [api.status]: success('Done.') };
  if (api.status === 201) return { '200': success('Already done: the object as it is. Nothing changed.'), '201': success('Done.') };
  return { [api.status]: success('Done, now or earlier.') };
}

const DRY_RUN_PARAMETER: Part = {
  name: DRY_RUN,
  in: 'query',
  description:
    'Answers what the call would do, without a trace in the rehearsal: status 200 with the schema `DryRun`, or the refusal of the call.',
  schema: { type: 'boolean' },
};

/** An extension, because generated clients would add a further response to the type of the call. */
const dryRunAnswer = (components: Components): Part => ({
  description: 'The answer to a dry run that nothing has refused, with status 200.',
  content: { [DRY_RUN_TYPE]: { schema: components.schemaOf(DryRun, 'output') } },
});

function successOf(api: ApiDefinition, description: string, components: Components): Part {
  return {
    description,
    headers: headersOf(api),
    content: api.status === 204 ? undefined : contentOf(api, components),
  };
}

const headersOf = (api: ApiDefinition): Part => ({
  'X-Correlation-Id': responseHeader('CorrelationId'),
  ...(isVersioned(api) && { ETag: responseHeader('ETag') }),
  ...(acceptsKeys(api) && { 'Idempotent-Replayed': responseHeader('IdempotentReplayed') }),
  ...(api.fileName !== undefined && { 'Content-Disposition': responseHeader('ContentDisposition') }),
});

/** The content of a success. */
export const contentOf = (api: ApiDefinition, components: Components): Part =>
  api.produces === 'application/json'
    ? json(components.schemaOf(api.response, 'output'), exampleOf(api.id).response)
    : { [api.produces]: { schema: { type: 'string', format: 'binary', contentMediaType: api.produces } } };

const repeatTriggers = objects.flatMap(({ lifeCycle }) => lifeCycle?.rows.filter(({ again }) => again).map(({ trigger }) => trigger) ?? []);

/** Whether a repeat without a key changes nothing, because of a repeat row or a comparison of content. A carrier repeats by webhook-id. */
const answersRepeats = ({ name, auth, problems }: ApiDefinition): boolean =>
  auth === 'signature' || problems.includes('conflicting_repeat') || repeatTriggers.some((trigger) => trigger.includes(name));

export const CONTROL_TAG = 'Control plane';

export function controlOperation(control: ControlOperation, components: Components): Part {
  return {
    operationId: control.id,
    tags: [CONTROL_TAG],
    summary: sentenceCase(control.id),
    description: control.summary,
    security: [{ control: [] }],
    parameters: [
      ...pathParameters(control.path, components, control.plays?.verbs[0]),
      ...queryParameters(control.query, components),
      requestHeader('Rehearsal'),
      ...(isStream(control) ? [requestHeader('LastEventId')] : []),
    ],
    ...(control.method !== 'GET' &&
      requestBody(
        { request: control.request, most: control.body === 'large' ? undefined : bodyLimit(control) },
        components,
        exampleOf(control.id).request,
      )),
    responses: {
      ...(control.status === 204
        ? { '204': { description: 'Done.' } }
        : { [control.status]: { description: 'Done.', content: contentOfOperation(control, components) } }),
      ...refusals(problemsOfOperation(control), components, exampleOf(control.id).refusal),
    },
  };
}

/** Lists the names of the frames, because OpenAPI cannot describe the frames of a stream. */
function contentOfOperation(control: ControlOperation, components: Components): Part {
  if (!isStream(control)) return json(components.schemaOf(control.response, 'output'), exampleOf(control.id).response);
  const kinds = Object.keys(control.frames).join(', ');
  return { 'text/event-stream': { schema: { type: 'string', description: `Frames ${kinds}; their data is JSON.` } } };
}

/** The refusal of every operation: each reads the store, which may not answer. */
const problemsOfOperation = (control: ControlOperation): ProblemCode[] => [
  ...control.problems,
  ...commonProblems,
  'dependency_unavailable',
  ...(control.method === 'GET' ? [] : (['store_full'] as const)),
  'unauthenticated',
  'forbidden',
  'unknown_rehearsal',
];

const sentenceCase = (id: string): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}`.replaceAll('-', ' ');
