import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describedBy, type OpenApiDocument } from '../support/described.ts';
import { AUTHORIZED, aMock, aPortal, call } from './running-touchpoint.ts';

type Described = ReturnType<typeof describedBy>;
type Operation = Described['operations'][number];

const KNOWN: Readonly<Record<string, readonly unknown[]>> = { touchpointId: ['SCO-01'] };

describe.each(['mock', 'portal'] as const)('The OpenAPI document served by the %s', (from) => {
  let url: string;
  let described: Described;

  beforeAll(async () => {
    const mock = await aMock();
    const served = from === 'mock' ? mock : await aPortal({ mockUrl: mock.url });
    const document = JSON.parse((await call(served.url, { method: 'GET', path: '/openapi.json' })).text) as OpenApiDocument;
    url = new URL(document.servers[0]?.url ?? 'nowhere', served.url).href.replace(/\/$/, '');
    described = describedBy(document);
  });

  /** Sends a request, whose answer must be as described. @returns its status */
  async function sent(operation: Operation | undefined, request: Parameters<typeof call>[1]): Promise<number> {
    const answer = await call(url, request);
    const trouble = operation && described.complaint(operation, { ...answer, contentType: answer.headers['content-type'] });
    if (trouble !== undefined) throw new Error(`${JSON.stringify(request)}: ${answer.status} ${answer.text.slice(0, 300)}: ${trouble}`);
    return answer.status;
  }

  test(`The document of the ${from} describes the answers of each path to valid requests`, async () => {
    for (const operation of described.operations) {
      const fitting = described.fittingRequests(operation, (name) => KNOWN[name]);
      const property = fc.asyncProperty(fitting, async ({ path, headers, body }) => {
        const status = await sent(operation, { path, headers: { ...AUTHORIZED, ...headers }, body: JSON.stringify(body) });
        expect(status === 400).toBe(headers['x-mock-case'] === 'MOCK_ONLY_INVALID_SELECTOR');
      });
      await fc.assert(property, { numRuns: 2, endOnFailure: true });
    }
  });

  test(`The document of the ${from} describes the refusal of a wrong credential, an unknown lane and an invalid body`, async () => {
    const lane = { touchpointId: 'SCO-01', basketId: 'b' };
    const { Authorization: _key, ...anonymous } = AUTHORIZED;
    for (const operation of described.operations) {
      for (const { headers = AUTHORIZED, body = lane } of [
        { headers: anonymous },
        { headers: { ...AUTHORIZED, Authorization: 'Bearer another-key' } },
        { headers: { ...AUTHORIZED, Authorization: 'Basic ZGVtbw==' } },
        { body: { ...lane, touchpointId: 'SCO-99' } },
        { body: [[]] },
      ])
        expect(await sent(operation, { path: operation.path, headers, body: JSON.stringify(body) })).toBe(403);
    }
  });
});
