import { backlogSuite } from '../observability/backlog-suite.ts';
import { describeWithRedis } from './with-redis.ts';

describeWithRedis('Work that waits in Redis', (redis) => backlogSuite('Redis', () => redis.store()));
