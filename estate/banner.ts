import { applications } from '../shared/catalog/applications.ts';
import type { DemoCredentials } from '../ui/data/config.ts';
import type { RunningEstate } from './estate.ts';

/** A clone runs TypeScript and has npm scripts; the package has JavaScript and the command. */
const REHEARSE = import.meta.url.endsWith('.ts') ? 'npm run rehearse --' : 'npx estate rehearse';

/** The text for a person when the estate is ready: addresses, credentials, first calls, and how to stop. */
export function banner(estate: RunningEstate, startedInMs: number): string {
  const { gateway, touchpoint, portal, adapters } = estate;
  const inMemory = [adapters.state, adapters.events].filter((name) => name === 'memory').length;
  const kept = ['', '(data in memory is lost when this process ends)', '(all data is lost when this process ends)'][inMemory];
  const titles = Object.values(applications).map(({ title }) => title);
  return `
  Unified commerce estate: ready in ${(startedInMs / 1_000).toFixed(1)} s

  gateway      ${gateway}       OpenAPI at /openapi.json
${consoleLine(estate)}  touchpoint   ${touchpoint}      key demo-store-key unless MOCK_STORE_KEY is set, lane SCO-01
  portal       ${portal}      the touchpoint mock in a browser

  applications ${titles.join(', ')}
  adapters     state: ${adapters.state}, events: ${adapters.events} ${kept}
  credentials  ${acceptedBy(estate)}

${firstOrder(estate)}  A whole order, step by step:  ${REHEARSE} --against ${gateway}
  Stop with Ctrl-C.
`;
}

const consoleLine = ({ console }: RunningEstate): string =>
  console === undefined ? '' : `  console      ${console}      who calls whom, what happened and why: open it in a browser\n`;

const OWN_CREDENTIALS = 'the credentials in credentials.json of the folder FIXTURES_DIR';

function acceptedBy({ demo: { integration, apiKey, control } }: RunningEstate): string {
  const lines = [
    integration && `Authorization: Bearer ${integration}`.padEnd(50).concat('for the APIs'),
    apiKey && `X-API-Key: ${apiKey}`.padEnd(50).concat("for the carrier's APIs"),
    control && `Authorization: Bearer ${control}`.padEnd(50).concat('for the control plane under /_control'),
  ].filter((line) => line !== undefined);
  const others = lines.length < 3 ? [lines.length === 0 ? OWN_CREDENTIALS : `and ${OWN_CREDENTIALS}`] : [];
  return [...lines, ...others].join('\n               ');
}

/** Without the demo credentials there is nothing to copy. */
function firstOrder({ gateway, demo: { integration, control } }: RunningEstate): string {
  if (integration === undefined || control === undefined) return '';
  return `  Try          an order from basket to confirmed, in three lines
${orderInThreeLines(gateway, { integration, control })}

`;
}

/** Each line shows its answers and keeps the id for the next line. The last line pays, confirms and verifies the rehearsal. */
function orderInThreeLines(gateway: string, { integration, control }: Required<Omit<DemoCredentials, 'apiKey'>>): string {
  const keep = (member: string): string => `| tee /dev/stderr | sed -n 's/.*"${member}":"\\([^"]*\\)".*/\\1/p'`;
  const basket = { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }] };
  const shippingAddress = { name: 'Ada', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
  const checkout = { shippingAddress, placeOrder: true };
  const next = "--next -s -w '\\n'";
  const curl = `curl -s -w '\\n' -H "$A" -H 'Content-Type: application/json'`;
  return [
    `A='Authorization: Bearer ${integration}'; BASKET=$(${curl} -d '${JSON.stringify(basket)}' ${gateway}/baskets ${keep('id')})`,
    `ORDER=$(${curl} -d '${JSON.stringify(checkout)}' ${gateway}/baskets/$BASKET/checkout ${keep('orderId')})`,
    `${curl} -d '{"tender":{"type":"card","token":"tok_visa"},"orderId":"'$ORDER'"}' ${gateway}/payments/authorizations ${next} -H "$A" -X POST ${gateway}/orders/$ORDER/confirm ${next} -H 'Authorization: Bearer ${control}' ${gateway}/_control/verify`,
  ]
    .map((line) => `    ${line}`)
    .join('\n');
}
