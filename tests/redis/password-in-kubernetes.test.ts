import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { readConfiguration } from '../../estate/configuration.ts';
import { createRedisStore } from '../../shared/store/redis/store.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { whyNoRedis } from '../support/redis-server.ts';
import { textOf } from '../support/tracked-files.ts';
import { skipWithoutRedis } from './without-redis.ts';

const PASSWORD = 'a"b\\\\c$d %e@f/g:h#i\'j';

interface StatefulSet {
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly { command: string[]; args: string[] }[] } } };
}

if (whyNoRedis) skipWithoutRedis('the password of Redis in Kubernetes');
else
  test('The Redis in Kubernetes takes a password of any characters, and no argument of its process shows it', async () => {
    const [set] = parseAllDocuments(textOf('k8s/components/redis/redis.yaml')).map((document) => document.toJS() as StatefulSet);
    const [container] = set?.spec.template.spec.containers ?? [];
    const [program = '', ...words] = [...(container?.command ?? []), ...(container?.args ?? [])];
    const port = await freePort();
    const folder = await mkdtemp(join(tmpdir(), 'redis-kubernetes-'));
    const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
    const env = { PATH: process.env['PATH'] ?? '', REDISCLI_AUTH: PASSWORD };
    const child = spawn(program, [...words, ...own], { env, stdio: 'ignore' });
    try {
      const { REDIS_URL = '' } = readConfiguration({ REDIS_URL: `redis://127.0.0.1:${port}`, REDIS_PASSWORD: PASSWORD });
      const store = await eventually('Redis accepts the password', () =>
        createRedisStore({ url: REDIS_URL, startTimeoutMs: 500 }).catch(() => false as const),
      );
      await store.close();
      await expect(createRedisStore({ url: `redis://127.0.0.1:${port}` })).rejects.toThrow('requires a password');
      const args = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8');
      expect(args).toContain('redis-server');
      expect(args).not.toContain('a"b');
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
      await rm(folder, { recursive: true });
    }
  });
