import { describe, expect, test } from '@jest/globals';
import { aRig, asIntegration, BEARER, SEEDED_AT, TOKEN } from './running-gateway.ts';

describe('A request that the gateway lets through', () => {
  test('reaches the application with the path, query, method and body that the client sent', async () => {
    await using rig = await aRig();
    const body = JSON.stringify({ channel: 'web', note: 'käse' });
    const reply = await rig.call({
      method: 'POST',
      path: '/baskets?expand=lines&x=%2F%2e%2e',
      headers: { ...asIntegration, 'content-type': 'application/json', 'idempotency-key': 'k-1' },
      body,
    });
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({ answered: true });
    const [received] = rig.upstream.received;
    expect(received).toMatchObject({ method: 'POST', url: '/baskets?expand=lines&x=%2F%2e%2e', body });
    expect(received?.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'k-1' });
  });

  test("carries the context that the gateway made, and its token instead of the client's", async () => {
    await using rig = await aRig();
    const before = Date.now();
    const reply = await rig.call({ path: '/orders/ord_1', headers: asIntegration });
    const [received] = rig.upstream.received;
    const view = await rig.adapter.worlds.resolve('default');
    expect(received?.headers['x-estate-token']).toBe(TOKEN);
    expect(JSON.stringify(received)).not.toContain(BEARER);
    expect(received?.context).toMatchObject({ world: view?.world, principal: 'integration', faults: 0, chain: [] });
    expect(received?.context?.requestId).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(received?.context?.now).toBeGreaterThanOrEqual(SEEDED_AT);
    expect(received?.context?.deadline).toBeGreaterThanOrEqual(before + 15_000);
    expect(received?.context?.correlationId).toBe(received?.context?.requestId);
    expect(reply.headers['x-correlation-id']).toBe(received?.context?.requestId);
  });
});
