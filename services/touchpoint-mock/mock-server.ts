import express from 'express';
import type { Logger } from 'pino';
import { createFairServer } from '../../shared/process/fair-server.ts';
import { NOT_FOUND, refuseUnreadable, send, withJsonErrors } from './contract/answers.ts';
import { loadTouchpointFixtures, resolveAuthorization, type TouchpointFixtures } from './contract/fixtures.ts';
import { contractListener, contractTable, storeCredential } from './contract/listener.ts';
import { withSingleHeaders } from './contract/single-headers.ts';
import { documentRouter, ownHostsOnly } from './documents/documents.ts';
import { type Listening, listen, SERVER_LIMITS } from './http-listening.ts';

export interface TouchpointMockOptions {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** The only accepted key. */
  readonly storeKey: string;
  /** The lanes that the key is authorised for. */
  readonly lanes: readonly string[];
  /** Host names that serve the pages, in addition to this machine's names. */
  readonly allowedHosts?: readonly string[];
  /** Address of the portal, which the document lists: `http://127.0.0.1:15116`. */
  readonly portalUrl?: string;
  readonly logger?: Pick<Logger, 'info'>;
  /** Folder of the fixtures; the project's own by default. */
  readonly fixtures?: URL;
}

/**
 * Starts the touchpoint mock: 23 contract paths with fixed responses, its OpenAPI document, health and readiness.
 * @throws Error in one sentence when a fixture is broken or the configuration makes no sense; with `code` EADDRINUSE and `port` when the port is taken
 */
export async function startTouchpointMock({
  host,
  port,
  storeKey,
  lanes,
  allowedHosts = [],
  portalUrl,
  logger,
  fixtures: directory,
}: TouchpointMockOptions): Promise<Listening> {
  const fixtures = await loadTouchpointFixtures(directory);
  refuseSenselessConfiguration({ storeKey, lanes, fixtures });

  let ready = true;
  const others = express()
    .disable('x-powered-by')
    .use(ownHostsOnly(allowedHosts))
    .use(documentRouter({ fixtures, isReady: () => ready, from: 'mock', other: portalUrl }));
  others.use((_request, response) => send(response, NOT_FOUND));

  const listener = contractListener({
    table: contractTable(fixtures),
    credential: storeCredential(storeKey),
    lanes: new Set<unknown>(lanes),
    otherwise: withJsonErrors(others),
  });
  // Without this listener, Node would request every expected body before the credential check.
  const server = createFairServer(
    { ...SERVER_LIMITS, expectations: ['checkContinue'], unreadable: refuseUnreadable },
    withSingleHeaders(listener),
  );
  const listening = await listen({
    server,
    host,
    port,
    drain: () => {
      ready = false;
    },
  });
  logger?.info({ url: listening.url, lanes, cases: fixtures.cases.length }, 'touchpoint mock listening');
  return listening;
}

function refuseSenselessConfiguration({
  storeKey,
  lanes,
  fixtures,
}: {
  storeKey: string;
  lanes: readonly string[];
  fixtures: TouchpointFixtures;
}): void {
  if (!/^[\x21-\x7e]+$/.test(storeKey))
    throw new Error('The store key of the touchpoint mock must be visible ASCII without blanks, to fit into a header.');
  if (lanes.length === 0 || lanes.includes('')) throw new Error('The touchpoint mock needs at least one lane, and none may be empty.');
  const credential = storeCredential(storeKey);
  for (const fixture of fixtures.authorization) {
    const { name, authorization, touchpointId, authorized } = resolveAuthorization(fixture, { storeKey, lanes });
    if ((credential.accepts(authorization ?? undefined) && lanes.includes(touchpointId)) !== authorized) {
      throw new Error(`The store key and lanes of the touchpoint mock contradict its authorization fixture "${name}".`);
    }
  }
}
