import { createHash } from 'node:crypto';
import { type Request, type Response, Router } from 'express';
import { Problem } from '../shared/catalog/problems.ts';
import type { ConsoleConfig } from '../ui/data/config.ts';
import { createBundles, type Pages } from './bundle.ts';
import { ASSETS, consoleHtml, type Reference, referenceHtml } from './html.ts';
import { CONSOLE_POLICY, REFERENCE_POLICY } from './policy.ts';

/** Serves the console under `/console/` and sends browsers from `/` to it. Nothing is read or bundled before the first request. */
export function createConsole(config: () => ConsoleConfig, isProduction = false): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const bundle = createBundles(isProduction);

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

  router.get(/^\/console\/assets(?:\/.*)?$/, async (request, response) => {
    const name = request.path.slice(ASSETS.length);
    const encoding = (['br', 'gzip'] as const).find((one) => request.acceptsEncodings(one) === one) ?? 'identity';
    const content = await (await bundle()).read(name, encoding);
    if (!content) throw new Problem('not_found', `Nothing is at ${request.path}.`);
    response.vary('Accept-Encoding').set('Cache-Control', HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache');
    if (encoding !== 'identity') response.set('Content-Encoding', encoding);
    response.type(name.endsWith('.map') ? 'application/json' : name).send(content);
  });

  const html = async (request: Request, response: Response, policy: string, write: (pages: Pages) => string): Promise<void> => {
    const text = await bundle().then(
      ({ pages }) => write(pages),
      (error: unknown) => void explain(response, error),
    );
    if (text === undefined) return;
    const tag = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    response.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache', ETag: `"${tag}"` });
    if (request.fresh) response.status(304).end();
    else response.type('text/html').send(text);
  };
  for (const reference of ['api', 'events'] as const satisfies readonly Reference[]) {
    router.get(`/console/reference/${reference}`, (request, response) =>
      html(request, response, REFERENCE_POLICY, (pages) => referenceHtml(reference, pages)),
    );
  }
  router.get(/^\/console(?:\/.*)?$/, (request, response) => {
    // Ids in deeper segments may have dots.
    if (/^\/console\/[^/]*\.[^/]*$/.test(request.path)) throw new Problem('not_found', `Nothing is at ${request.path}.`);
    return html(request, response, CONSOLE_POLICY, consoleHtml);
  });
  return router;
}

/** The content behind such a name never changes. */
const HASHED = /-[A-Z0-9]{8}\.(?:js|css|svg)$/;

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** A browser names HTML first; a program names JSON, or accepts anything. */
const wantsPage = (request: Request): boolean => isRead(request) && request.accepts()[0] === 'text/html';

/** The page names what is missing and the remedy, for developers. */
const explain = (response: Response, error: unknown): void =>
  void response
    .status(503)
    .set('Cache-Control', 'no-store')
    .type('text/plain')
    .send(`${(error as Error).message}\n`);
