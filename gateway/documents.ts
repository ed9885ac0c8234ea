import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Request, type Response, Router } from 'express';
import { type Application, applicationNames } from '../shared/catalog/applications.ts';
import { Problem, type ProblemCode, problems, problemType } from '../shared/catalog/problems.ts';
import type { EventServers } from '../shared/contract/asyncapi/document.ts';
import type { Section } from '../shared/contract/llms-text.ts';
import { problemMeanings } from '../shared/contract/tables/problem-meanings.ts';
import { stepsBreathing } from '../shared/domain/breathe.ts';
import { addressedDocument, fixedDocument, yamlOf } from '../shared/http/fixed-document.ts';
import type { OwnAddress } from '../shared/http/own-address.ts';
import { inShortTurns } from '../shared/process/waiting.ts';
import { methodNotAllowed } from './problems.ts';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { readonly version: string };

const STYLE = 'body{font:1.1rem/1.6 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}:root{color-scheme:light dark}';
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; frame-ancestors 'none'`;

const WELCOME = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Unified commerce estate</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Unified commerce estate</h1>
<p>A simulated retailer to rehearse integrations on. This is its gateway, and it is running.</p>
<ul>
<li><a href="/products/mug-blue">A product</a>, which needs no credential</li>
<li><a href="/openapi.json">All APIs as OpenAPI 3.1</a>, also <a href="/openapi.yaml">as YAML</a></li>
<li><a href="/asyncapi.json">All events as AsyncAPI 3</a>, also <a href="/asyncapi.yaml">as YAML</a></li>
<li><a href="/llms.txt">An index of these documents for language models</a></li>
<li><a href="/readyz">Whether the estate is ready</a></li>
</ul>
<p>The other APIs take the demo credentials of <code>fixtures/credentials.json</code>; the README walks through a first order.</p>
</main>
</body>
</html>
`;

/** The documents of the gateway, for the index. */
const OWN_DOCUMENTS: readonly Section[] = [
  {
    title: 'Documents',
    links: [
      { name: 'OpenAPI', at: '/openapi.json', about: 'every API and every operation of the control plane' },
      { name: 'AsyncAPI', at: '/asyncapi.json', about: 'every event, with its payload and its subscribers' },
      { name: 'Problems', at: '/problems', about: 'every refusal, with its cause and its remedy' },
    ],
  },
  {
    title: 'State',
    links: [{ name: 'Readiness', at: '/readyz', about: 'whether the estate is ready, and what it waits for' }],
  },
];

/** The APIs as OpenAPI, the events as AsyncAPI, the problems, an index for language models, and a welcome page. @param events where this estate publishes them */
export function createDocuments(events: EventServers): Router {
  // The code that writes a document is loaded with its first request. A document takes many turns, because other requests wait.
  const openapi = async ({ origin }: OwnAddress): Promise<unknown> => {
    const { openApiInSteps } = await import('../shared/contract/openapi/document.ts');
    return stepsBreathing(openApiInSteps(manifest.version, origin), inShortTurns());
  };
  const asyncapi = async ({ host }: OwnAddress): Promise<unknown> => {
    const { asyncApiInSteps } = await import('../shared/contract/asyncapi/document.ts');
    return stepsBreathing(asyncApiInSteps(manifest.version, events, host), inShortTurns());
  };
  const router = Router({ caseSensitive: true, strict: true });
  for (const [name, document] of Object.entries({ openapi, asyncapi })) {
    const json = async (address: OwnAddress) => JSON.stringify(await document(address), null, 2);
    router.get(`/${name}.json`, addressedDocument('application/json', json));
    router.get(
      `/${name}.yaml`,
      addressedDocument('application/yaml', async (address) => yamlOf(await document(address))),
    );
  }
  router.use(createContracts());
  router.use(createProblemDocuments());
  const welcome = fixedDocument('text/html', () => WELCOME);
  router.get('/', (request, response) => welcome(request, response.set('Content-Security-Policy', POLICY)));
  const index = fixedDocument('text/plain', async () => {
    const { llmsText } = await import('../shared/contract/llms-text.ts');
    return llmsText(OWN_DOCUMENTS);
  });
  router.get('/llms.txt', index);
  router.all(['/openapi.json', '/openapi.yaml', '/asyncapi.json', '/asyncapi.yaml', '/llms.txt', '/'], ({ method }) => {
    throw methodNotAllowed(method, ['GET', 'HEAD']);
  });
  return router;
}

const CONTRACT = '/openapi/:application.json';

/** What a real system must offer to take the place of an application, at `/openapi/payment-hub.json`. */
function createContracts(): Router {
  const contractOf = async (name: Application): Promise<string> => {
    const { contractInSteps } = await import('../shared/contract/openapi/application-contract.ts');
    return JSON.stringify(await stepsBreathing(contractInSteps(name, manifest.version), inShortTurns()), null, 2);
  };
  const contracts = new Map(applicationNames.map((name) => [name as string, fixedDocument('application/json', () => contractOf(name))]));
  const router = Router({ caseSensitive: true, strict: true });
  router.get(CONTRACT, (request: Request<{ application: string }>, response) => {
    const { application } = request.params;
    const answer = contracts.get(application);
    if (answer) return answer(request as unknown as Request, response);
    throw new Problem('not_found', `The application "${application}" does not exist. Contracts exist for ${applicationNames.join(', ')}.`);
  });
  router.all(CONTRACT, ({ method }) => {
    throw methodNotAllowed(method, ['GET', 'HEAD']);
  });
  return router;
}

/** A problem as JSON, for a program that followed the `type` of a refusal. Cause and remedy are Markdown. */
function describe(code: ProblemCode) {
  const { status, title, retryable } = problems[code];
  const [cause, remedy] = problemMeanings[code];
  return { type: problemType(code), code, status, title, retryable, cause, remedy };
}

const isCode = (text: string): text is ProblemCode => Object.hasOwn(problems, text);

/** Serves the meaning of each problem at the address in its `type`. Browsers get the page of the console instead, if there is a console. */
function createProblemDocuments(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const answer = (response: Response, body: object): void => void response.vary('Accept').set('Cache-Control', 'no-cache').json(body);
  router.get('/problems', (_request, response) => answer(response, { items: (Object.keys(problems) as ProblemCode[]).map(describe) }));
  router.get('/problems/:code', ({ params: { code } }: Request<{ code: string }>, response) => {
    if (!isCode(code)) throw new Problem('not_found', `There is no problem "${code}". GET /problems lists those that exist.`);
    answer(response, describe(code));
  });
  router.all(['/problems', '/problems/:code'], ({ method }) => {
    throw methodNotAllowed(method, ['GET', 'HEAD']);
  });
  return router;
}
