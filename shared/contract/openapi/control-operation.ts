import { type ControlOperation, isStream } from '../../catalog/control/define-operation.ts';
import { commonProblems, type ProblemCode } from '../../catalog/problems.ts';
import type { Part } from '../json-schemas.ts';
import { type Components, json, refusals, requestBody } from './components.ts';
import { exampleOf } from './examples.ts';
import { requestHeader } from './headers.ts';
import { pathParameters, queryParameters } from './parameters.ts';

export const CONTROL_TAG = 'Control plane';

export function controlOperation(control: ControlOperation, components: Components): Part {
  return {
    operationId: control.id,
    tags: [CONTROL_TAG],
    summary: sentenceCase(control.id),
    description: control.summary,
    security: [{ control: [] }],
    parameters: [
      ...pathParameters(control.path, components),
      ...queryParameters(control.query, components),
      requestHeader('Rehearsal'),
      ...(isStream(control) ? [requestHeader('LastEventId')] : []),
    ],
    ...(control.method !== 'GET' && requestBody(control.request, components, exampleOf(control.id).request)),
    responses: {
      ...(control.status === 204
        ? { '204': { description: 'Done.' } }
        : { [control.status]: { description: 'Done.', content: contentOf(control, components) } }),
      ...refusals(problemsOf(control), components),
    },
  };
}

/** Lists the names of the frames, because OpenAPI cannot describe the frames of a stream. */
function contentOf(control: ControlOperation, components: Components): Part {
  if (!isStream(control)) return json(components.schemaOf(control.response, 'output'), exampleOf(control.id).response);
  const kinds = Object.keys(control.frames).join(', ');
  return { 'text/event-stream': { schema: { type: 'string', description: `Frames ${kinds}; their data is JSON.` } } };
}

/** The refusal of every operation: each reads the store, which may not answer. */
const problemsOf = (control: ControlOperation): ProblemCode[] => [
  ...control.problems,
  ...commonProblems,
  'dependency_unavailable',
  ...(control.method === 'GET' ? [] : (['store_full'] as const)),
  'unauthenticated',
  'forbidden',
  'unknown_rehearsal',
];

const sentenceCase = (id: string): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}`.replaceAll('-', ' ');
