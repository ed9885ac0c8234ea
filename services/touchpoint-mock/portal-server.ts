import express, { type Router } from 'express';
import helmet from 'helmet';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { createFairServer } from '../../shared/process/fair-server.ts';
import { Agent } from '../../shared/process/node-http.ts';
import { MOCK_UNREACHABLE, NOT_FOUND, refuseUnreadable, send, withJsonErrors } from './contract/answers.ts';
import { ALIAS_NAMES, ALIASES, INVALID_SELECTOR, SUGGESTED_SEQUENCE } from './contract/cases.ts';
import { fixedResponse } from './contract/fixed-response.ts';
import { loadTouchpointFixtures, resolveAuthorization, type TouchpointFixtures } from './contract/fixtures.ts';
import { withSingleHeaders } from './contract/single-headers.ts';
import { documentRouter, ownHostsOnly } from './documents/documents.ts';
import { type Listening, listen, SERVER_LIMITS } from './http-listening.ts';
import type { TouchpointMockOptions } from './mock-server.ts';
import type { PortalDescription } from './portal-description.ts';

export interface PortalOptions extends Omit<TouchpointMockOptions, 'host' | 'portalUrl'> {
  /** Answers requests for the page and its files. */
  readonly page: Router;
  /** URL of the mock, for example `http://127.0.0.1:15115`. */
  readonly mockUrl: string;
  /** Address of the console of the estate that the portal belongs to, if there is one. */
  readonly consoleUrl?: string;
  /** The page shows this key to everybody who can open the portal: it is the public key of a mock. */
  readonly storeKey: string;
  /** Loopback by default. In a container `0.0.0.0`, because publishing the port decides who reaches it. */
  readonly host?: string;
}

const PROXY_TIMEOUT_MS = 15_000;

/** The page loads from the portal alone: no other origin, no inline script or style, no frame around it. */
const security = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  frameguard: { action: 'deny' },
  // The portal speaks plain HTTP on loopback. With this header, a browser could not open it again.
  strictTransportSecurity: false,
});

/**
 * Starts the browser portal: the page, the contract document, and `/mock/*` forwarded to the mock with the prefix removed.
 *
 * @throws Error in one sentence when a fixture is broken; with `code` EADDRINUSE and `port` when the port is taken
 */
export async function startPortal({
  page,
  port,
  mockUrl,
  consoleUrl,
  storeKey,
  lanes,
  host = '127.0.0.1',
  allowedHosts = [],
  logger,
  fixtures: directory,
}: PortalOptions): Promise<Listening> {
  const fixtures = await loadTouchpointFixtures(directory);
  let ready = true;

  const portal = express().disable('x-powered-by').enable('case sensitive routing').enable('strict routing');
  portal.use(ownHostsOnly(allowedHosts));
  portal.use('/mock', forwardTo(mockUrl));
  portal.use(security);
  portal.use(documentRouter({ fixtures, isReady: () => ready, from: 'portal', other: mockUrl }));
  const description = portalDescription({ fixtures, mockUrl, consoleUrl, storeKey, lanes });
  portal.get('/portal.json', (_request, response) => void response.set('Cache-Control', 'no-store').json(description));
  portal.use(page);
  portal.use((_request, response) => send(response, NOT_FOUND));

  const listening = await listen({
    server: createFairServer({ ...SERVER_LIMITS, unreadable: refuseUnreadable }, withSingleHeaders(withJsonErrors(portal))),
    host,
    port,
    drain: () => {
      ready = false;
    },
  });
  logger?.info({ url: listening.url, mockUrl }, 'touchpoint portal listening');
  return listening;
}

/** Uses one connection per request: if the mock had just closed a kept connection, it would look unreachable. */
function forwardTo(mockUrl: string) {
  return createProxyMiddleware({
    target: mockUrl,
    changeOrigin: true,
    agent: new Agent({ keepAlive: false }),
    proxyTimeout: PROXY_TIMEOUT_MS,
    on: {
      // The connection to the mock ends; the connection to the client may stay open.
      proxyRes: (answer, _request, response) => {
        answer.headers.connection = response.shouldKeepAlive ? 'keep-alive' : 'close';
      },
      error: (_error, _request, response) => {
        // A partial answer cannot be replaced, so the connection is broken off.
        if ('headersSent' in response && !response.headersSent) send(response, MOCK_UNREACHABLE);
        else response.destroy();
      },
    },
  });
}

/** The data of the page. */
function portalDescription({
  fixtures,
  mockUrl,
  consoleUrl,
  storeKey,
  lanes,
}: Pick<PortalOptions, 'mockUrl' | 'consoleUrl' | 'storeKey' | 'lanes'> & { readonly fixtures: TouchpointFixtures }): PortalDescription {
  return {
    mock: mockUrl,
    console: consoleUrl,
    aliases: ALIAS_NAMES.map((name) => ({ name, path: ALIASES[name].path, prefilled: ALIASES[name].prefilled })),
    cases: fixtures.cases.map((fixture) => {
      const { case: name, alias, title, request, status, headers } = fixture;
      const answer = fixedResponse(fixture).body('{lane}', request.basketId);
      return { case: name, alias, title, request, status, headers, answer };
    }),
    invalidSelector: INVALID_SELECTOR,
    authorization: fixtures.authorization.map((fixture) => resolveAuthorization(fixture, { storeKey, lanes })),
    sequence: SUGGESTED_SEQUENCE,
  };
}
