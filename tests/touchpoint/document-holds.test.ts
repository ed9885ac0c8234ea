import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describedBy, METHODS, type OpenApiDocument } from '../support/described.ts';
import { AUTHORIZED, aMock, aPortal, call } from './running-touchpoint.ts';

const KNOWN: Readonly<Record<string, readonly unknown[]>> = { touchpointId: ['SCO-01'] };
const RUNS = 2;

describe.each(['mock', 'portal'] as const)('The touchpoint’s OpenAPI document, from the %s', (from) => {
  let url: string;
  let described: ReturnType<typeof describedBy>;
  let paths: readonly string[];

  beforeAll(async () => {
    const mock = await aMock();
    const served = from === 'mock' ? mock : await aPortal({ mockUrl: mock.url });
    const document = JSON.parse((await call(served.url, { method: 'GET', path: '/openapi.json' })).text) as OpenApiDocument;
    url = new URL(document.servers[0]?.url ?? 'nowhere', served.url).href.replace(/\/$/, '');
    described = describedBy(document);
    paths = Object.keys(document.paths);
  });

  test('describes the answers of each path to valid requests', async () => {
    for (const operation of described.operations) {
      const run = async ({ path, headers, body }: { path: string; headers: Readonly<Record<string, string>>; body?: unknown }) => {
        const answer = await call(url, { path, headers: { ...AUTHORIZED, ...headers }, body: JSON.stringify(body) });
        const told = `${path} ${JSON.stringify(headers)} ${JSON.stringify(body)}: ${answer.status} ${answer.text.slice(0, 300)}`;
        expect([told, described.complaint(operation, { ...answer, contentType: answer.headers['content-type'] })]).toEqual([
          told,
          undefined,
        ]);
        expect(answer.status === 400).toBe(headers['x-mock-case'] === 'MOCK_ONLY_INVALID_SELECTOR');
      };
      await fc.assert(
        fc.asyncProperty(
          described.fittingRequests(operation, (name) => KNOWN[name]),
          run,
        ),
        { numRuns: RUNS, endOnFailure: true },
      );
    }
  });

  test('describes the refusal of a wrong credential, of an unknown lane, and of an invalid body', async () => {
    for (const operation of described.operations) {
      const lane = { touchpointId: 'SCO-01', basketId: 'b' };
      const refused = [
        { headers: { 'Content-Type': 'application/json' }, body: lane },
        { headers: { ...AUTHORIZED, Authorization: 'Bearer another-key' }, body: lane },
        { headers: { ...AUTHORIZED, Authorization: 'Basic ZGVtbw==' }, body: lane },
        { headers: AUTHORIZED, body: { ...lane, touchpointId: 'SCO-99' } },
        { headers: AUTHORIZED, body: [[]] },
      ];
      for (const { headers, body } of refused) {
        const answer = await call(url, { path: operation.path, headers, body: JSON.stringify(body) });
        expect([operation.path, answer.status]).toEqual([operation.path, 403]);
        expect(described.complaint(operation, { ...answer, contentType: answer.headers['content-type'] })).toBeUndefined();
      }
    }
  });

  test('lists every method, and any other is 405 as described', async () => {
    for (const path of paths) {
      for (const method of METHODS.filter((one) => one !== 'POST')) {
        const answer = await call(url, { method, path, headers: AUTHORIZED });
        expect([path, method, answer.status, answer.headers['allow']]).toEqual([path, method, 405, 'POST']);
        const operation = described.operations.find((one) => one.path === path);
        if (operation) expect(described.complaint(operation, { ...answer, contentType: answer.headers['content-type'] })).toBeUndefined();
      }
    }
  });
});
