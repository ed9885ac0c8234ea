import { skipTests } from '../support/skipped.ts';
import { whyNoRedis } from './redis-server.ts';

export const skipWithoutRedis = (what: string): void => skipTests(what, whyNoRedis, 'redis-server');
