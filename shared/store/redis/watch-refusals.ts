import type { State } from '../../process/readiness.ts';
import type { RedisClient } from './client.ts';
import { RedisRefused, refusalIn } from './refused.ts';

/** Pause between two probes, in wall time. */
const PROBE_MS = 1_000;

interface Watching {
  readonly where: string;
  readonly onError: (error: Error) => void;
}

/**
 * Keeps the last refusal of a Redis that answers, for the readiness of the process. The first refusal is reported. Probes find out when Redis
 * works again, because a process that is not ready may get no requests.
 */
export function watchRefusals(client: RedisClient, { where, onError }: Watching) {
  let refused: State | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function note(error: Error, key: string): void {
    const sentence = sentenceFor(error, `The Redis at ${where}`);
    if (sentence === undefined) return;
    if (refused === undefined) onError(new RedisRefused(sentence));
    // A full store still answers reads, and deletes rehearsals.
    refused = isFull(error) ? { ready: true, degraded: `redis: ${sentence}` } : { ready: false, waitingFor: `redis: ${sentence}` };
    probeLater(key);
  }

  function probeLater(key: string): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(() => void probe(key), PROBE_MS).unref();
  }

  /** Redis checks this command like any other write, including its memory. It changes no key. */
  async function probe(key: string): Promise<void> {
    try {
      await client.setrange(key, 0, '');
      refused = undefined;
    } catch (error) {
      note(error as Error, key);
      // Redis took the command.
      if ((error as Error).message.startsWith('WRONGTYPE')) refused = undefined;
      else probeLater(key);
    }
  }

  return {
    /** @param key the key that the refused command was for */
    note,
    state: (): State | undefined => refused,
    stop(): void {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

const isFull = ({ message }: Error): boolean => message.startsWith('OOM ');

const sentenceFor = (error: Error, redis: string): string | undefined =>
  isFull(error) ? `${redis} has no memory left. Delete unused rehearsals, or give it more memory.` : refusalIn(error, redis)?.sentence;
