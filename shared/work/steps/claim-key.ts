import { isMutating } from '../../catalog/define.ts';
import { Problem } from '../../catalog/problems.ts';
import type { Context } from '../../control/context.ts';
import { mayHaveAddress, withOwnAddresses } from '../../control/world-addresses.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { digest } from '../../domain/ids.ts';
import { rehearsalOf } from '../../domain/world.ts';
import { ifPossible } from '../../process/harmless.ts';
import type { Answer } from '../../transport/answer.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { Answered, UnitJob } from '../job.ts';
import type { Precondition } from '../unit/reads.ts';
import type { ValidRequest } from './read-input.ts';
import type { Step } from './step.ts';

export interface ClaimedRequest extends ValidRequest, UnitJob {}

/** Claims the `Idempotency-Key`, or repeats the first answer. Without a key, or without a change, a request needs no claim. */
export const claimKey =
  ({ store, observer, leaseMs, log, directory }: ApplicationParts): Step<ValidRequest, ClaimedRequest, Answered> =>
  async (job, rest) => {
    const { context, bound, input, idempotencyKey, notes } = job;
    const { world, now, requestId } = context;
    if (idempotencyKey === undefined || !isMutating(bound.api)) {
      return rest({ ...job, unit: { key: requestId, since: now, precondition: preconditionOf(job, { isMet: false }) } });
    }
    // Within the estate the calling application is the credential: its due work repeats what a client's request began.
    const caller = context.chain.at(-1) ?? principalIn(context);
    const key = digest(caller, bound.api.method, job.path, idempotencyKey);
    const fingerprint = digest(canonicalJson({ query: input.query, body: input.body ?? null }));
    const ownLeaseMs = leaseMs(context);
    const claim = await store.claim(world, { key, fingerprint, now, leaseMs: ownLeaseMs });
    switch (claim.is) {
      case 'done':
        observer.replayed();
        notes.unchanged = 'An earlier request with this Idempotency-Key was carried out; the answer is the stored one.';
        return { ...(await inThisWorld(JSON.parse(claim.json) as Answer, context, directory)), replayed: true };
      case 'running':
        throw new Problem('idempotency_in_progress', 'A request with this Idempotency-Key is still running.', {
          retryAfter: retryAfter(ownLeaseMs, claim.leftMs),
        });
      case 'other-body':
        throw new Problem('idempotency_key_reused', 'This Idempotency-Key was used with another request; use a new key for a new request.');
      case 'ours': {
        const { token, since } = claim;
        const precondition = preconditionOf(job, { isMet: claim.preconditionHeld });
        try {
          return await rest({ ...job, unit: { key, since, precondition, fence: { kind: 'claim', key, token } } });
        } catch (error) {
          // Otherwise the last commit has ended the claim. After it, this does nothing.
          await ifPossible(log, 'giving back an idempotency key', () => store.release(world, key, token));
          throw error;
        }
      }
    }
  };

/** A copy of a world has its answers. Their addresses then lead to the copy. */
async function inThisWorld(answer: Answer, { world, seed, lineage }: Context, directory: ApplicationParts['directory']): Promise<Answer> {
  if (lineage === undefined || typeof answer.body !== 'string' || !mayHaveAddress(answer.body)) return answer;
  const secret = async (): Promise<string> => (await directory.current(world))?.credentials.webhookSecret ?? '';
  return { ...answer, body: JSON.stringify(await withOwnAddresses(JSON.parse(answer.body) as object, { world, seed, lineage, secret })) };
}

/** The name of the rehearsal is left out: ids derive from the key, and repeat in another rehearsal with the same seed. */
const principalIn = ({ world, principal }: Context): string => (principal === `reh:${rehearsalOf(world)}` ? 'reh' : principal);

/** Most requests end within a second. The process of an older one may have died: its key is free when its lease ends. */
const USUAL_MS = 1_000;

/** Seconds. All leases of clients' requests have the same length, so this length less the rest of the lease is the age of the claim. */
const retryAfter = (ownLeaseMs: number, leftMs: number): number =>
  ownLeaseMs - leftMs < USUAL_MS ? 1 : Math.max(1, Math.ceil(leftMs / 1_000));

/** What `If-Match` demands of the object of the request. */
export function preconditionOf({ bound, input, ifMatch }: ValidRequest, { isMet }: Pick<Precondition, 'isMet'>): Precondition | undefined {
  const { ifMatchOn } = bound.api;
  const name = ifMatchOn === undefined ? input.params['id'] : (input.body as Readonly<Record<string, unknown>>)[ifMatchOn];
  return ifMatch !== undefined && typeof name === 'string' ? { name, ifMatch, isMet } : undefined;
}
