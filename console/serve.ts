import { type Request, type Response, Router } from 'express';
import { Problem } from '../shared/catalog/problems.ts';
import { fixedDocument } from '../shared/http/fixed-document.ts';
import type { ConsoleConfig } from './config.ts';
import { findPageFiles, type PageFiles } from './page-files.ts';
import { policyFor } from './policy.ts';
import { referenceFacts } from './reference-facts.ts';
import { REFERENCE_POLICY, referenceHtml, SCALAR } from './reference-html.ts';
import { scalarAnswer } from './scalar.ts';
import { shellHtml } from './shell-html.ts';
import { vocabulary } from './vocabulary.ts';

type Answer = (request: Request, response: Response) => void;

/** Serves the console under `/console/` and sends browsers from `/` to it. Nothing is read before the first request. */
export function createConsole(config: () => ConsoleConfig): Router {
  const router = Router({ caseSensitive: true, strict: true });
  let found: PageFiles | undefined;
  const files = (): PageFiles => {
    found ??= findPageFiles();
    return found;
  };

  // `all`: with `get`, Express would answer OPTIONS here.
  router.all('/', (request, response, next) => {
    if (!wantsPage(request)) return next();
    response.set({ Vary: 'Accept', 'Cache-Control': 'no-store' }).redirect(303, '/console/');
  });
  // The `type` of a refusal leads here.
  router.all(['/problems', '/problems/:code'], (request, response, next) => {
    if (!wantsPage(request)) return next();
    const { code } = request.params as { readonly code?: string };
    const section = code === undefined ? '' : `#${encodeURIComponent(code)}`;
    response.set({ Vary: 'Accept', 'Cache-Control': 'no-store' }).redirect(303, `/console/reference/problems${section}`);
  });
  router.use('/console', (request, _response, next) => {
    if (!isRead(request)) {
      throw new Problem('method_not_allowed', `${request.method} is not possible here; GET, HEAD is.`, { allow: ['GET', 'HEAD'] });
    }
    next();
  });
  router.get('/console/config.json', (_request, response) => void response.set('Cache-Control', 'no-store').json(config()));
  router.get(
    '/console/catalog.json',
    fixedDocument('application/json', () => JSON.stringify(vocabulary())),
  );

  router.get(
    '/console/reference.json',
    fixedDocument('application/json', () => JSON.stringify(referenceFacts())),
  );
  for (const reference of ['api', 'events'] as const) {
    const document = fixedDocument('text/html', () => referenceHtml(reference));
    router.get(`/console/reference/${reference}`, (request, response) =>
      document(request, response.set('Content-Security-Policy', REFERENCE_POLICY)),
    );
  }
  router.get(SCALAR, scalarAnswer());

  const answers = new Map<string, Answer>();
  router.get(/^\/console(?:\/.*)?$/, (request, response) => {
    const address = isFile(request.path) ? request.path : 'page';
    let answer = answers.get(address);
    if (!answer) {
      answer = address === 'page' ? shellAnswer(files()) : fileAnswer(files(), address);
      answers.set(address, answer);
    }
    answer(request, response);
  });
  return router;
}

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** A browser names HTML first; a program names JSON, or accepts anything. */
const wantsPage = (request: Request): boolean => isRead(request) && request.accepts()[0] === 'text/html';

/** Files are in two folders, or have an extension right below `/console`. Deeper dots belong to ids. */
const isFile = (path: string): boolean => /^\/console\/(?:(?:page|lib)(?:\/|$)|[^/]*\.[^/]*$)/.test(path);

function shellAnswer(files: PageFiles): Answer {
  const importMap = JSON.stringify({ imports: files.libraries.addresses });
  const policy = policyFor(importMap);
  const document = fixedDocument('text/html', () => shellHtml(importMap, files.preloads));
  return (request, response) => document(request, response.set('Content-Security-Policy', policy));
}

/** @throws Problem not_found */
function fileAnswer(files: PageFiles, address: string): Answer {
  const file = files.read(address);
  if (!file) throw new Problem('not_found', `Nothing is at ${address}.`);
  return fixedDocument(file.type, () => file.text);
}
