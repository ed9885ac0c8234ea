import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import { createRedisStore } from '../../shared/store/redis/store.ts';
import { backlogSuite } from '../observability/backlog-suite.ts';
import { type RedisServer, startRedis, whyNoRedis } from './redis-server.ts';
import { skipWithoutRedis } from './without-redis.ts';

if (whyNoRedis) skipWithoutRedis('what waits in Redis');
else {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());
  backlogSuite('Redis', () => createRedisStore({ url: server.url, prefix: `${randomUUID()}:` }));
}
