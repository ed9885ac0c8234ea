import { type RequestHandler, Router } from 'express';
import { stringify } from 'yaml';
import { fixedDocument } from '../../../shared/http/fixed-document.ts';
import { ownHosts } from '../../../shared/process/own-hosts.ts';
import { FOREIGN_HOST, GET_ONLY, send } from '../contract/answers.ts';
import type { TouchpointFixtures } from '../contract/fixtures.ts';
import { type Served, touchpointOpenApi } from './openapi.ts';

interface Documented extends Served {
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
  const json = fixedDocument('application/json', () => JSON.stringify(touchpointOpenApi(fixtures, served), null, 2));
  const yaml = fixedDocument('application/yaml', () =>
    stringify(touchpointOpenApi(fixtures, served), { aliasDuplicateObjects: false, lineWidth: 0 }),
  );
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
