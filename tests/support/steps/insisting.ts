import { randomUUID } from 'node:crypto';
import type { Sections } from '../../../rehearsal/estate-client.ts';
import type { ApiId } from '../../../shared/catalog/apis.ts';
import { eventually } from '../eventually.ts';
import type { OpenRehearsal } from '../open-rehearsal.ts';
import type { PlainReply } from '../plain-client.ts';
import { withSteps } from './rehearsal-at.ts';

/** Statuses that a client retries with the same key: the other side is unavailable, or still working. */
const isPassing = ({ status, body }: PlainReply): boolean => [502, 503, 504].includes(status) || body?.retryable === true;

/** A rehearsal whose calls and steps repeat a request with the same Idempotency-Key until the reply is definite. */
export function insisting(rehearsal: OpenRehearsal, patienceMs = 90_000) {
  let hasGivenUp = false;

  async function insist(id: ApiId, input: Sections = {}): Promise<PlainReply> {
    const headers = { 'idempotency-key': randomUUID(), ...input.headers };
    let last: unknown;
    const definite = async (): Promise<PlainReply | undefined> => {
      if (hasGivenUp) throw new Error(`${id} was given up`);
      try {
        const reply: PlainReply = await rehearsal.client.call(id as 'get-order-api', { ...input, headers } as never);
        if (!isPassing(reply)) return reply;
        last = `${reply.status} ${JSON.stringify(reply.body)}`;
      } catch (error) {
        last = error;
      }
      return undefined;
    };
    return eventually(`a definite reply of ${id}`, definite, patienceMs).catch((error: Error) => {
      throw new Error(`${error.message}: ${last}`);
    });
  }
  const api = async (id: ApiId, input?: Sections) => {
    const { status, body } = await insist(id, input);
    if (status >= 300) throw new Error(`${id}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  return {
    ...withSteps({ ...rehearsal, api: api as OpenRehearsal['api'] }),
    insist,
    /** Ends all repetitions with an error, so that a failed test leaves no buyer behind. */
    giveUp: (): void => {
      hasGivenUp = true;
    },
  };
}

export type Insisting = ReturnType<typeof insisting>;
