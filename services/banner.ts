import { applications } from '../shared/catalog/applications.ts';
import type { RunningEstate } from './estate.ts';

/** What a newcomer sees when the estate is ready: where it is, how to get in, what to try, how to stop. */
export function banner(estate: RunningEstate, startedInMs: number): string {
  const { gateway, touchpoint, portal, adapters } = estate;
  const titles = Object.values(applications).map(({ title }) => title);
  return `
  Unified commerce estate: ready in ${(startedInMs / 1_000).toFixed(1)} s

  gateway      ${gateway}       OpenAPI at /openapi.json
  touchpoint   ${touchpoint}      key demo-store-key unless MOCK_STORE_KEY says otherwise, lane SCO-01
  portal       ${portal}      open it in a browser

  applications ${titles.join(', ')}
  adapters     state: ${adapters.state}, events: ${adapters.events} (everything is forgotten when this process ends)
  credentials  Authorization: Bearer demo-integration-token      for the APIs
               X-API-Key: demo-carrier-key                       for the carrier's APIs
               Authorization: Bearer demo-sim-admin              for the simulation plane under /_sim

  Try
    curl ${gateway}/products/mug-blue
    curl -H 'Authorization: Bearer demo-integration-token' -H 'Content-Type: application/json' -d '{"channel":"web","customerId":"cus_ada","lines":[{"sku":"mug-blue","qty":2}]}' ${gateway}/baskets
    curl -H 'Authorization: Bearer demo-sim-admin' ${gateway}/_sim/events

  A whole order, step by step:  npm run rehearse -- --against ${gateway}
  Stop with Ctrl-C.
`;
}
