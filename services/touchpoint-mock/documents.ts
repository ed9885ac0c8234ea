import { Router } from 'express';
import { stringify } from 'yaml';
import { GET_ONLY, send } from './answers.ts';
import { touchpointOpenApi } from './openapi.ts';
import type { TouchpointFixtures } from './touchpoint-fixtures.ts';

/** Health, readiness and the contract document: the same on the mock and on the portal, none of them asks for a key. */
export function documents({ fixtures, isReady }: { fixtures: TouchpointFixtures; isReady: () => boolean }): Router {
  // Written when somebody asks first: a start need not wait for it.
  let json: string | undefined;
  let yaml: string | undefined;
  const asJson = (): string => {
    json ??= JSON.stringify(touchpointOpenApi(fixtures), null, 2);
    return json;
  };
  const asYaml = (): string => {
    yaml ??= stringify(touchpointOpenApi(fixtures), { aliasDuplicateObjects: false, lineWidth: 0 });
    return yaml;
  };

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
    .get((_request, response) => void response.type('application/json').send(asJson()))
    .all((_request, response) => send(response, GET_ONLY));
  router
    .route('/openapi.yaml')
    .get((_request, response) => void response.type('application/yaml').send(asYaml()))
    .all((_request, response) => send(response, GET_ONLY));
  return router;
}
