import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Request, type Response, Router } from 'express';
import { Problem } from '../shared/catalog/problems.ts';
import type { ConsoleConfig } from '../ui/data/config.ts';
import { type Page, type Part, pageOf, readAsset } from './bundle.ts';
import { ASSETS, consoleHtml, portalHtml, referenceHtml } from './html.ts';
import { CONSOLE_POLICY, REFERENCE_POLICY } from './policy.ts';

/** Serves the console under `/console/` and sends browsers from `/` to it. Nothing is read or bundled before the first request. */
export function createConsole(config: () => ConsoleConfig, isProduction = false): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const redirect = (path: string, to: (code?: string) => string): void => {
    // `all`: with `get`, Express would answer OPTIONS here.
    router.all(path, (request, response, next) => {
      if (!wantsPage(request)) return next();
      response.set({ Vary: 'Accept', 'Cache-Control': 'no-store' }).redirect(303, to(request.params['code'] as string | undefined));
    });
  };
  redirect('/', () => '/console/');
  // The `type` of a refusal leads here.
  redirect('/problems', () => '/console/reference/problems');
  redirect('/problems/:code', (code = '') => `/console/reference/problems#${encodeURIComponent(code)}`);
  router.use('/console', (request, _response, next) => {
    if (isRead(request)) return next();
    throw new Problem('method_not_allowed', `${request.method} is not possible here; GET, HEAD is.`, { allow: ['GET', 'HEAD'] });
  });
  router.get('/console/config.json', (_request, response) => void response.set('Cache-Control', 'no-store').json(config()));
  router.get(/^\/console\/assets(?:\/.*)?$/, async (request, response) => {
    const name = request.path.slice(ASSETS.length);
    if (!(await sendAsset({ request, response, name, parts: ['console', 'reference'], isProduction }))) throw nothingAt(request);
  });
  for (const reference of ['api', 'events'] as const) {
    router.get(`/console/reference/${reference}`, async (_request, response) => {
      response.set('Content-Security-Policy', REFERENCE_POLICY);
      await sendPage(response, pageOf('reference', isProduction), (page) => referenceHtml(reference, page));
    });
  }
  router.get(/^\/console(?:\/.*)?$/, async (request, response) => {
    // Ids in deeper segments may have dots.
    if (/^\/console\/[^/]*\.[^/]*$/.test(request.path)) throw nothingAt(request);
    response.set('Content-Security-Policy', CONSOLE_POLICY);
    await sendPage(response, pageOf('console', isProduction), consoleHtml);
  });
  return router;
}

/** Serves the page of the touchpoint mock at `/`, and its files below `/assets/`. */
export function createPortalPage(isProduction = false): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/', (_request, response) => sendPage(response, pageOf('portal', isProduction), portalHtml));
  router.get('/assets/:name', async (request, response, next) => {
    if (!(await sendAsset({ request, response, name: request.params.name, parts: ['portal'], isProduction }))) next();
  });
  return router;
}

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** A browser names HTML first; a program names JSON, or accepts anything. */
const wantsPage = (request: Request): boolean => isRead(request) && request.accepts()[0] === 'text/html';

const nothingAt = ({ path }: Request): Problem => new Problem('not_found', `Nothing is at ${path}.`);

/** When the page cannot be bundled, the answer names what is missing and the remedy, for developers. */
async function sendPage(response: Response, page: Promise<Page>, write: (page: Page) => string): Promise<void> {
  try {
    response
      .set('Cache-Control', 'no-cache')
      .type('text/html')
      .send(write(await page));
  } catch (error) {
    response
      .status(503)
      .set('Cache-Control', 'no-store')
      .type('text/plain')
      .send(`${(error as Error).message}\n`);
  }
}

interface AssetRequest {
  readonly request: Request<object>;
  readonly response: Response;
  readonly name: string;
  readonly parts: readonly Part[];
  readonly isProduction: boolean;
}

/** @returns whether the parts have a file of this name */
async function sendAsset({ request, response, name, parts, isProduction }: AssetRequest): Promise<boolean> {
  const packed = await readAsset(name, parts, isProduction);
  if (!packed) return false;
  const isPacked = request.acceptsEncodings('gzip') === 'gzip';
  response.vary('Accept-Encoding').set('Cache-Control', 'public, max-age=31536000, immutable');
  if (isPacked) response.set('Content-Encoding', 'gzip');
  response.type(name.endsWith('.map') ? 'application/json' : name).send(isPacked ? packed : await promisify(gunzip)(packed));
  return true;
}
