import { describe, expect, test } from '@jest/globals';
import { Agent } from 'undici';
import { createEstateClient } from '../../rehearsal/estate-client.ts';
import { createBench, NotChecked } from '../../shared/contract/suites/bench.ts';
import { systemAt, systemOf } from '../../shared/elsewhere/conform/system.ts';
import { fillPath, fitsTemplate, PathRefused, requireWrittenPath } from '../../shared/transport/path.ts';
import { pathOf, requireOwnPath } from '../../ui/data/path-of.ts';

/** Values that no encoding makes a segment of a path. */
const STEPS = ['.', '..', '', '\ud800'];
/** Values that look like steps, and are none when they are encoded. */
const NAMES = ['...', '.well-known', '../..', '%2e%2e', '..;', 'a/..', '\\..', '.. ', 'ord_1'];

describe('Paths of values', () => {
  test.each(STEPS)('A path is not filled with the value %j, and the refusal names the parameter', (value) => {
    expect(() => fillPath('/orders/{id}/lines/{lineId}', { id: 'ord_1', lineId: value })).toThrow(
      /^The path parameter "lineId" is .*\. Give the id or the name that it stands for\.$/,
    );
    expect(() => fillPath('/orders/{id}', {})).toThrow('The path parameter "id" is empty.');
  });

  test.each(NAMES)('A path is filled with the name %j, and HTTP clients send it as one segment', (value) => {
    const filled = fillPath('/orders/{id}/lines', { id: value });
    const { pathname } = new URL(filled, 'http://estate.example');
    expect([pathname.split('/').length, decodeURIComponent(pathname.split('/')[2] ?? '')]).toEqual([4, value]);
    expect(() => requireWrittenPath(filled)).not.toThrow();
    expect(fitsTemplate(pathname, '/orders/{id}/lines')).toBe(true);
  });

  test.each(['/orders/..', '/orders/.', '/orders/%2e%2E/x', '/a/.%2e/b?c=d', '/a\\..\\b', '/a/.\t./b', 'orders', '@other.example/', ''])(
    'The path %j is refused, because HTTP clients send another one',
    (path) => expect(() => requireWrittenPath(path)).toThrow(PathRefused),
  );

  test.each(['/', '/orders/', '/orders?next=/a/../b', '/orders/ord_1#..', '/a%2F..', "/it's/{x}/^`|"])(
    'The path %j is accepted, because HTTP clients send its segments as they are written',
    (path) => expect(() => requireWrittenPath(path)).not.toThrow(),
  );

  test.each(['/orders', '/orders/', '/orders/a/b', '/payments/a', '/orders/a/'])(
    'The path %j does not fit the template /orders/{id}',
    (path) => expect(fitsTemplate(path, '/orders/{id}')).toBe(false),
  );
});

describe('Clients', () => {
  const nowhere = { gateway: 'http://127.0.0.1:9', bearer: '', apiKey: '', admin: '' };

  test('The typed client refuses a step as the value of a parameter, and in a plain path, before it sends anything', async () => {
    await using client = createEstateClient(nowhere);
    await expect(client.call('get-order-api', { params: { id: '..' } })).rejects.toThrow('path parameter "id"');
    await expect(client.control('read-object', { params: { type: '..', id: 'rehearsals' } })).rejects.toThrow('path parameter "type"');
    await expect(client.call('POST', '/orders/../confirm')).rejects.toThrow('no segment "." or ".."');
    await expect(client.call('GET', '@other.example/' as '/')).rejects.toThrow('must begin with "/"');
  });

  test('A check of a real system is not made with a step as an id', async () => {
    const agent = new Agent();
    const system = systemAt(systemOf(agent, { url: nowhere.gateway, headers: {}, timeoutMs: 1_000 }));
    const call = createBench({ ...system, ids: {}, currency: 'EUR' }).call('capture-payment-api', { params: { id: '..' } });
    await expect(call).rejects.toThrow(NotChecked);
    await expect(call).rejects.toThrow('path parameter "id"');
    await agent.close();
  });

  test('The console refuses a step as the value of a parameter, and in a path that is sent again', () => {
    expect(() => pathOf({ path: '/_control/objects/{type}/{id}' }, { type: '..', id: 'rehearsals' })).toThrow('path parameter "type"');
    expect(() => requireOwnPath('/orders/../x')).toThrow('no segment "." or ".."');
    expect(() => requireOwnPath('//other.example/')).toThrow('names no host');
    expect(pathOf({ path: '/orders/{id}' }, { id: 'ord_1' })).toBe('/orders/ord_1');
  });
});
