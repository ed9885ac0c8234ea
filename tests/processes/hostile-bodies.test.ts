import { expect, test } from '@jest/globals';
import { bare, FREE_PORTS, MAIN, started } from './started.ts';

/** About the heap of the gateway's container. */
const HEAP_MIB = 192;

const data = (members: object): string => JSON.stringify({ name: 'h', data: members });
const file = (members: string): string => `{"format":"unified-commerce-estate-snapshot","version":1,${members}}`;

/** As many members as a body may have, in as few kinds of objects as possible. None of them is known. */
const UNKNOWN = Array.from({ length: 900 }, () => Object.fromEntries(Array.from({ length: 105 }, (_, n) => [n.toString(36), 1])));

/** Promotions that fit their schema, and name no product that exists. */
const PROMOTIONS = Array.from({ length: 95 }, (_, n) => ({
  ...{
    id: `p${n}`,
    name: 'p',
    kind: 'percent-off',
    percent: 1,
    skus: Array.from({ length: 990 }, (_none, m) => `x${m}`),
    priority: 100 + n,
  },
  ...{ stackable: false, activeFrom: '-P30D', activeTo: 'P180D' },
}));

const bodies: readonly (readonly [call: string, body: string, status: number])[] = [
  ['POST /_control/rehearsals', data({ ['x'.repeat(900_000)]: [] }), 422],
  ['POST /_control/rehearsals', data(Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`${n}`.padEnd(900, 'x'), []]))), 422],
  ['POST /_control/rehearsals', data({ products: Array.from({ length: 900 }, (_, n) => ({ sku: `${n}`.padEnd(900, 'x') })) }), 422],
  ['POST /_control/rehearsals', data({ customers: UNKNOWN.map((row, n) => ({ id: `c${n}`, ...row })) }), 422],
  ['POST /_control/rehearsals', data({ promotions: PROMOTIONS }), 422],
  ['PUT /_control/customers/cus_ada', JSON.stringify({ addresses: UNKNOWN }), 413],
  ['POST /_control/snapshots', file(`"deliveries":[${'1,'.repeat(300_000)}1]`), 400],
  ['POST /_control/snapshots', file(`"deliveries":[${'[],'.repeat(2_000_000)}1]`), 400],
  ['POST /_control/snapshots', file(`"applications":{"${'x'.repeat(25_000_000)}":{}}`), 422],
  ['POST /_control/snapshots', file(`"lineage":"${'x'.repeat(30_000_000)}"`), 422],
];

test('An estate with the heap of its container refuses hostile bodies and continues', async () => {
  const env = { ...bare(), ...FREE_PORTS };
  await using estate = started(process.execPath, [`--max-old-space-size=${HEAP_MIB}`, MAIN], { env });
  await estate.ready();
  const headers = { authorization: 'Bearer demo-control-token', 'content-type': 'application/json' };
  for (const [call, body, status] of bodies) {
    const [method = '', path = ''] = call.split(' ');
    const reply = await fetch(`${estate.gateway()}${path}`, { method, headers, body });
    expect([call, body.slice(0, 60), reply.status]).toEqual([call, body.slice(0, 60), status]);
    expect((await reply.text()).length).toBeLessThan(20_000);
  }
  expect([(await fetch(`${estate.gateway()}/readyz`)).status, await estate.stop()]).toEqual([200, 0]);
}, 180_000);
