import type { Consumer } from 'kafkajs';
import { READY, type State } from '../../process/readiness.ts';
import { pause, within } from '../../process/waiting.ts';
import type { KafkaOptions } from './client.ts';
import { type ConsumptionOptions, createConsumption } from './consumption.ts';
import { joinGroup } from './join-group.ts';
import { endOfMembership } from './membership.ts';
import type { Topics } from './topics.ts';
import { keepTrying, troubleOf } from './trouble.ts';

const RESTART_PAUSE_MS = 1_000;
/** A broker that is silent for this long counts as degraded. */
const QUIET_MS = 15_000;
/** A member that receives nothing for this long joins again. */
const DEAF_MS = 60_000;
const DEAFNESS_CHECK_MS = 1_000;
const STOP_MS = 3_000;

export interface SubscriptionOptions extends Omit<ConsumptionOptions, 'stopping' | 'consumer'> {
  readonly kafka: KafkaOptions;
  readonly topics: readonly string[];
  readonly ensured: Topics;
}

/** Keeps one application a member of its consumer group until it is stopped. */
export function createSubscription({ kafka, topics, ensured, ...consuming }: SubscriptionOptions) {
  const { application, log } = consuming;
  const groupId = `${kafka.prefix ?? ''}${kafka.groupPrefix ?? 'uc-'}${application}`;
  const stopping = new AbortController();
  let consumer: Consumer | undefined;
  let hasJoined = false;
  let lastSign = Date.now();
  let trouble: string | undefined = `kafka: ${application} is joining the group ${groupId}`;
  const consumption = createConsumption({ ...consuming, stopping: stopping.signal, consumer: () => consumer });

  function heard(): void {
    lastSign = Date.now();
    trouble = undefined;
  }

  async function join(): Promise<{ readonly ended: Promise<unknown> }> {
    await ensured.ensure();
    try {
      return await joinGroup({
        kafka,
        groupId,
        topics,
        log,
        take: consumption.take,
        joined: () => {
          consumption.forgetProgress();
          hasJoined = true;
          heard();
        },
        heard,
        isCurrent: (one) => consumer === one,
        created: (one) => {
          consumer = one;
        },
      });
    } catch (error) {
      await leave();
      ensured.recheck();
      throw error;
    }
  }

  async function leave(): Promise<void> {
    const leaving = consumer;
    consumer = undefined;
    if (!leaving) return;
    const left = leaving.disconnect().catch(() => undefined);
    await within(STOP_MS, left);
  }

  async function stayMember(): Promise<void> {
    while (!stopping.signal.aborted) {
      let membership: { readonly ended: Promise<unknown> } | undefined;
      await keepTrying({
        brokers: kafka.brokers,
        log,
        stopped: stopping.signal,
        failed: (text) => {
          trouble = text;
        },
        attempt: async () => {
          membership = await join();
        },
      });
      if (!membership) return;
      const watched = { ended: membership.ended, lastSign: () => lastSign };
      const reason = await endOfMembership(watched, { deafMs: DEAF_MS, everyMs: DEAFNESS_CHECK_MS, stopping: stopping.signal });
      if (stopping.signal.aborted) return;
      trouble = troubleOf(reason, kafka.brokers);
      log.warn(`${trouble}; ${application} joins its group again`);
      log.debug({ err: reason }, 'kafka: membership ended');
      await leave();
      await pause(RESTART_PAUSE_MS, stopping.signal);
    }
  }

  const member = stayMember();

  return {
    state(): State {
      if (!hasJoined) return { ready: false, waitingFor: trouble };
      const quiet = Date.now() - lastSign > QUIET_MS ? `kafka: ${application} has received nothing from the broker for a while` : undefined;
      const degraded = trouble ?? quiet;
      return degraded === undefined ? READY : { ready: true, degraded };
    },
    /** Takes no more records, finishes the running deliveries, commits, and leaves the group. */
    async stop(): Promise<void> {
      stopping.abort();
      await consumption.stop();
      await within(STOP_MS, consumption.commit());
      await leave();
      await within(STOP_MS, member);
    },
  };
}

export type Subscription = ReturnType<typeof createSubscription>;
