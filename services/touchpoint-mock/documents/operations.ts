import { ALIASES, type Alias, INVALID_SELECTOR } from '../contract/cases.ts';
import type { CaseFixture } from '../contract/fixtures.ts';
import { REQUEST_OF } from '../contract/messages.ts';
import { responses } from './responses.ts';
import { type Part, schemaRef } from './schemas.ts';

const ALIAS_TEXT: Readonly<Record<Alias, { readonly summary: string; readonly description: string }>> = {
  calculate: {
    summary: 'Calculate a basket',
    description: 'Sends the current lines and optionally one line to add. Rejected lines must be looked at even on HTTP 200.',
  },
  finish: {
    summary: 'Finish a basket',
    description: 'Confirms the basket as last calculated. A stale digest is reported on HTTP 200 and needs confirmation again.',
  },
};

export function aliasOperation(alias: Alias, cases: readonly CaseFixture[]): Part {
  const own = cases.filter((fixture) => fixture.alias === alias);
  return {
    operationId: `${alias}-basket`,
    tags: ['aliases'],
    ...ALIAS_TEXT[alias],
    parameters: [selectorParameter(alias)],
    requestBody: requestBody(alias, own),
    responses: responses({ alias, cases: own, selector: true }),
  };
}

export function scenarioOperation(fixture: CaseFixture): Part {
  return {
    operationId: `case-${fixture.case}`,
    tags: ['scenarios'],
    summary: `${fixture.case}: ${fixture.title}`,
    description: `The same answer as ${ALIASES[fixture.alias].path} with \`X-Mock-Case: ${fixture.case}\`. That header is not looked at here.`,
    requestBody: requestBody(fixture.alias, [fixture]),
    responses: responses({ alias: fixture.alias, cases: [fixture], selector: false }),
  };
}

function selectorParameter(alias: Alias): Part {
  const { cases, prefilled } = ALIASES[alias];
  return {
    name: 'X-Mock-Case',
    in: 'header',
    required: true,
    description: `Mock only: which case to answer with. Remove it when talking to a real installation. ${INVALID_SELECTOR} always gives 400.`,
    schema: { type: 'string', enum: alias === 'calculate' ? [...cases, INVALID_SELECTOR] : [...cases] },
    example: prefilled,
  };
}

function requestBody(alias: Alias, cases: readonly CaseFixture[]): Part {
  const examples = Object.fromEntries(
    cases.map((fixture) => [`case-${fixture.case}`, { $ref: `#/components/examples/request-${fixture.case}` }]),
  );
  return { required: true, content: { 'application/json': { schema: schemaRef(REQUEST_OF[alias]), examples } } };
}
