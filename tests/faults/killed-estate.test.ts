import { expect, test } from '@jest/globals';
import { skipWithoutDocker, startBroker, whyNoDocker } from '../containers/kafka.ts';
import { killedAgain } from '../processes/killed-again.ts';
import { describeWithRedis } from '../redis/with-redis.ts';

/** Twenty kills took eleven minutes on a busy machine. */
const LIMIT_MS = 1_800_000;

if (whyNoDocker !== undefined) skipWithoutDocker('an estate in one process on Kafka that is killed');
else
  describeWithRedis('An estate in one process, with its state in Redis and its events on Kafka', (redis) => {
    test(
      'An estate that is killed twenty times under orders continues where it stopped',
      async () => {
        const broker = await startBroker();
        try {
          const environment = { REDIS_URL: redis.server.url, KAFKA_BROKERS: broker.brokers.join(',') };
          const { orders, left } = await killedAgain({ kills: 20, environment });
          expect(left).toEqual([]);
          expect(new Set(orders).size).toBe(orders.length);
        } finally {
          await broker.stop();
        }
      },
      LIMIT_MS,
    );
  });
