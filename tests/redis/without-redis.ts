import { whyNoRedis } from '../support/redis-server.ts';
import { skipTests } from '../support/skipped.ts';

export const skipWithoutRedis = (what: string): void => skipTests(what, whyNoRedis, 'redis-server');
