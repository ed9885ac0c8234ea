import type { Alias } from '../contract/cases.ts';
import type { CaseFixture } from '../contract/fixtures.ts';
import { MESSAGES, RESPONSES_OF } from '../contract/messages.ts';
import { type Part, schemaRef } from './schemas.ts';

const STATUS_TEXT: Readonly<Record<string, string>> = {
  '200': 'The fixed response of the case.',
  '409': 'The basket can no longer be finished.',
  '503': 'The dedicated operator is unavailable.',
};

export function responses({ alias, cases, selector }: { alias: Alias; cases: readonly CaseFixture[]; selector: boolean }): Part {
  const statuses = [...new Set(cases.map(({ status }) => status))].filter((status) => status !== 403);
  const byStatus = Object.fromEntries(statuses.map((status) => [status, caseResponse({ alias, cases, status })]));
  return {
    ...byStatus,
    ...(selector ? { '400': badSelector() } : {}),
    '403': forbidden(cases),
    default: jsonResponse({
      description:
        'Ours: whatever is outside the contract. 400 for a body that nests too deeply or bytes that are not an HTTP request, 405 for another method, 408 for a request that arrives too slowly, 413 for a body over 1 MiB, 431 for headers over 16 KiB, 502 from the portal when it cannot reach the mock.',
      schema: schemaRef('OtherError'),
    }),
  };
}

function caseResponse({ alias, cases, status }: { alias: Alias; cases: readonly CaseFixture[]; status: number }): Part {
  const message = RESPONSES_OF[alias][status];
  if (message === undefined) throw new Error(`${alias} has no message for status ${status}`);
  const those = cases.filter((fixture) => fixture.status === status);
  const headers = Object.fromEntries(
    those.flatMap((fixture) =>
      Object.entries(fixture.headers).map(([name, value]) => [
        name,
        { description: 'Ours (not in the source document): fixed.', schema: { type: 'string' }, example: value },
      ]),
    ),
  );
  return {
    ...jsonResponse({
      description: STATUS_TEXT[status] ?? 'The fixed response of the case.',
      schema: schemaRef(message),
      examples: responseExamples(those),
    }),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
  };
}

/** Two bodies share this status: the denied authorization, and the application's refusal where a case has one. */
function forbidden(cases: readonly CaseFixture[]): Part {
  const refused = cases.filter(({ status }) => status === 403);
  if (refused.length === 0)
    return fixedError('AuthorizationDenied', 'Wrong or absent key, wrong scheme, or a lane that is not authorised.');
  return jsonResponse({
    description: 'Authorization denied. A body with `code` is a refusal by the application.',
    schema: { oneOf: [schemaRef('AuthorizationDenied'), schemaRef('TouchpointRefusal')] },
    examples: { ...responseExamples(refused), denied: { summary: 'Authorization denied', value: fixedErrorBody('AuthorizationDenied') } },
  });
}

function responseExamples(cases: readonly CaseFixture[]): Part {
  return Object.fromEntries(cases.map((fixture) => [`case-${fixture.case}`, { $ref: `#/components/examples/response-${fixture.case}` }]));
}

/** Two bodies share this status too: the contract's, and ours for a body that nests too deeply. */
function badSelector(): Part {
  return jsonResponse({
    description: 'Good credential and lane; absent, unknown or incompatible X-Mock-Case. Ours: a body that nests too deeply.',
    schema: { anyOf: [schemaRef('SelectorRefused'), schemaRef('OtherError')] },
    examples: { fixed: { value: fixedErrorBody('SelectorRefused') } },
  });
}

function fixedError(message: 'AuthorizationDenied', description: string): Part {
  return jsonResponse({ description, schema: schemaRef(message), examples: { fixed: { value: fixedErrorBody(message) } } });
}

function fixedErrorBody(message: 'AuthorizationDenied' | 'SelectorRefused'): Part {
  return { error: MESSAGES[message].shape.error.value };
}

function jsonResponse({ description, schema, examples }: { description: string; schema: Part; examples?: Part }): Part {
  return { description, content: { 'application/json': { schema, ...(examples ? { examples } : {}) } } };
}
