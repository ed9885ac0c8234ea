import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Request, type Response, Router } from 'express';
import { Problem } from '../shared/catalog/problems.ts';
import type { ConsoleConfig } from '../ui/data/config.ts';
import { type Page, readAsset, readPage } from './bundle.ts';

const policy = (...own: readonly string[]): string =>
  ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", ...own].join('; ');

/** The console loads only files of the gateway, and has no inline script or style. */
const CONSOLE_POLICY = policy(
  ...["frame-ancestors 'none'", "frame-src 'self'"],
  ...["style-src 'self'", "img-src 'self'", "require-trusted-types-for 'script'"],
);
/** Scalar writes inline styles and tries `eval`. Its page is a frame of the console. */
const SCALAR_POLICY = policy("frame-ancestors 'self'", "style-src 'self' 'unsafe-inline'", "img-src 'self' data:", "font-src 'self'");

/** Serves the console under `/console/` and sends browsers from `/` to it. Nothing is read or bundled before the first request. */
export function createConsole(config: () => ConsoleConfig, isProduction = false): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const redirect = (path: string, to: (code?: string) => string): void => {
    // `all`: with `get`, Express would answer OPTIONS here.
    router.all(path, (request, response, next) => {
      if (!wantsPage(request)) return next();
      response
        .vary('Accept')
        .set('Cache-Control', 'no-store')
        .redirect(303, to(request.params['code'] as string | undefined));
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
    if (!(await sendAsset(request, response, request.path.slice('/console/assets/'.length), isProduction))) throw nothingAt(request);
  });
  router.get(['/console/scalar/api', '/console/scalar/events'], (request, response) => {
    response.set('Content-Security-Policy', SCALAR_POLICY);
    return sendPage(request, response, 'reference', isProduction);
  });
  // As text: it is saved with a story in it, and never opened from here.
  router.get('/console/story.html', (request, response) => sendPage(request, response, 'story', isProduction, 'txt'));
  router.get(/^\/console(?:\/.*)?$/, (request, response) => {
    // Ids in deeper segments may have dots.
    if (/^\/console\/[^/]*\.[^/]*$/.test(request.path)) throw nothingAt(request);
    response.set('Content-Security-Policy', CONSOLE_POLICY);
    return sendPage(request, response, 'console', isProduction);
  });
  return router;
}

/** Serves the page of the touchpoint mock at `/`, and its files below `/assets/`. */
export function createPortalPage(isProduction = false): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/', (request, response) => sendPage(request, response, 'touchpoint', isProduction));
  router.get('/assets/:name', async (request, response, next) => {
    if (!(await sendAsset(request, response, request.params.name, isProduction))) next();
  });
  return router;
}

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** A browser names HTML first; a program names JSON, or accepts anything. */
const wantsPage = (request: Request): boolean => isRead(request) && request.accepts()[0] === 'text/html';

const nothingAt = ({ path }: Request): Problem => new Problem('not_found', `Nothing is at ${path}.`);

/** When the page cannot be bundled, the answer names what is missing and the remedy, for developers. */
async function sendPage(request: Request, response: Response, page: Page, isProduction: boolean, type = 'html'): Promise<void> {
  try {
    await sendPacked(request, response.set('Cache-Control', 'no-cache').type(type), (await readPage(page, isProduction)) ?? Buffer.of());
  } catch (error) {
    response
      .status(503)
      .set('Cache-Control', 'no-store')
      .type('txt')
      .send(`${(error as Error).message}\n`);
  }
}

/** @returns whether there is a file of this name */
async function sendAsset(request: Request<object>, response: Response, name: string, isProduction: boolean): Promise<boolean> {
  const packed = await readAsset(name, isProduction);
  if (!packed) return false;
  response.set('Cache-Control', 'public, max-age=31536000, immutable').type(name.endsWith('.map') ? 'json' : name);
  await sendPacked(request, response, packed);
  return true;
}

async function sendPacked(request: Request<object>, response: Response, packed: Buffer): Promise<void> {
  const isPacked = request.acceptsEncodings('gzip') === 'gzip';
  if (isPacked) response.set('Content-Encoding', 'gzip');
  response.vary('Accept-Encoding').send(isPacked ? packed : await promisify(gunzip)(packed));
}
