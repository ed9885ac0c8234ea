import { type RequestHandler, Router } from 'express';
import { operationWithTitles, schemasWithTitles } from '../../../shared/contract/titles.ts';
import { addressedDocument, yamlOf } from '../../../shared/http/fixed-document.ts';
import type { OwnAddress } from '../../../shared/http/own-address.ts';
import { ownHosts } from '../../../shared/process/own-hosts.ts';
import { FOREIGN_HOST, GET_ONLY, send } from '../contract/answers.ts';
import { ALIAS_NAMES, ALIASES, type Alias, INVALID_SELECTOR, scenarioPath } from '../contract/cases.ts';
import type { CaseFixture, TouchpointFixtures } from '../contract/fixtures.ts';
import { REQUEST_OF } from '../contract/messages.ts';
import { type Part, responses, schemaRef, schemas } from './responses.ts';

interface Documented extends Omit<Served, 'origin'> {
  readonly fixtures: TouchpointFixtures;
  readonly isReady: () => boolean;
}

/** Refuses foreign host names, against DNS rebinding. Health and readiness answer under any name. */
export function ownHostsOnly(allowed: readonly string[]): RequestHandler {
  const isOwn = ownHosts(allowed);
  return (request, response, next) => {
    if (isOwn(request.headers.host) || request.path === '/healthz' || request.path === '/readyz') next();
    else send(response, FOREIGN_HOST);
  };
}

/** Health, readiness and the contract document, on the mock and the portal. None of them needs a key. */
export function documentRouter({ fixtures, isReady, ...served }: Documented): Router {
  const document = ({ origin }: OwnAddress) => touchpointOpenApi(fixtures, { ...served, origin });
  const json = addressedDocument('application/json', (address) => JSON.stringify(document(address), null, 2));
  const yaml = addressedDocument('application/yaml', (address) => yamlOf(document(address)));
  const router = Router({ caseSensitive: true, strict: true });
  router
    .route('/healthz')
    .get((_request, response) => void response.json({ status: 'ok' }))
    .all((_request, response) => send(response, GET_ONLY));
  router
    .route('/readyz')
    .get((_request, response) => void response.status(isReady() ? 200 : 503).json({ status: isReady() ? 'ready' : 'stopping' }))
    .all((_request, response) => send(response, GET_ONLY));
  router
    .route('/openapi.json')
    .get(json)
    .all((_request, response) => send(response, GET_ONLY));
  router
    .route('/openapi.yaml')
    .get(yaml)
    .all((_request, response) => send(response, GET_ONLY));
  return router;
}

const DESCRIPTION = `A simulation of the touchpoint basket interface: fixed responses, chosen by a selector. It calculates no
prices, calls no loyalty service, parks no baskets and keeps no state.

Checks run in this order: the credential, the lane in \`touchpointId\`, the selector. Only \`touchpointId\` and \`basketId\` are
echoed; everything else of a response is the same every time. Through the portal the paths have the prefix \`/mock\`; the mock itself and
real installations have the same paths without it.

Fields whose description starts with "Ours" are not shown in the source document; a real installation may name them differently.`;

interface Served {
  /** The server of the document: the mock or the portal. */
  readonly from: 'mock' | 'portal';
  /** Address of the other server, if there is one: `http://127.0.0.1:15115`. */
  readonly other?: string;
  /** Address of the server of the document. Without it, the first server has a relative path. */
  readonly origin?: string;
}

/** Base of the paths at the mock and at the portal. */
const BASES = { mock: '', portal: '/mock' } as const;

/** The servers: first the one that serves the document, then the other one. */
function serversOf({ from, other, origin = '' }: Served): Part[] {
  const own = {
    url: `${origin}${BASES[from]}` || '/',
    description: from === 'mock' ? 'The mock that serves this document.' : 'The mock, through the portal that serves this document.',
  };
  if (other === undefined) return [own];
  const { hostname, port } = new URL(other);
  return [
    own,
    {
      url: from === 'mock' ? `http://{host}:{port}${BASES.portal}` : 'http://{host}:{port}',
      description: from === 'mock' ? 'The mock, through its portal.' : 'The mock itself.',
      variables: { host: { default: hostname }, port: { default: port, description: 'As published, if it runs in a container.' } },
    },
  ];
}

/** The contract as OpenAPI 3.0.3, with the fixtures as its examples. */
export function touchpointOpenApi({ cases }: TouchpointFixtures, served: Served): Part {
  const aliases = ALIAS_NAMES.map((alias) => [ALIASES[alias].path, { post: operationWithTitles(aliasOperation(alias, cases)) }] as const);
  const scenarios = cases.map(
    (fixture) => [scenarioPath(fixture.case), { post: operationWithTitles(scenarioOperation(fixture)) }] as const,
  );
  return {
    openapi: '3.0.3',
    info: {
      title: 'Touchpoint basket interface (mock)',
      version: '0.2.0',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: serversOf(served),
    security: [{ storeKey: [] }],
    tags: [
      { name: 'aliases', description: 'The two paths of a real installation. Here X-Mock-Case selects the response.' },
      { name: 'scenarios', description: 'One path per case; the path implies the selector.' },
    ],
    paths: Object.fromEntries([...aliases, ...scenarios]),
    components: {
      securitySchemes: {
        storeKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'Store API key, a plain bearer credential. There is no token to request or renew.',
        },
      },
      schemas: schemasWithTitles(schemas()),
      examples: Object.fromEntries(
        cases.flatMap((fixture) => [
          [`request-${fixture.case}`, { summary: `${fixture.case}: ${fixture.title}`, value: fixture.request }],
          [`response-${fixture.case}`, { summary: `${fixture.case}: ${fixture.title}`, value: fixture.response }],
        ]),
      ),
    },
  };
}

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

function aliasOperation(alias: Alias, cases: readonly CaseFixture[]): Part {
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

function scenarioOperation(fixture: CaseFixture): Part {
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
