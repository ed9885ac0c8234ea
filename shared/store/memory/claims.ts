import { randomToken } from '../../domain/ids.ts';
import { CLAIM_BYTES, CLAIM_KEPT_MS, CLAIMS_FORGOTTEN, type Claim } from '../ports/plan.ts';
import type { ClaimRecord, WorldState } from './state.ts';

/** Sorted by expiry: time only moves forward, and every claim is kept equally long. */
type Claims = Map<string, ClaimRecord>;

/** The size of an ended claim. Unfinished claims do not count. */
export const bytesOfClaim = ({ done }: ClaimRecord): number => CLAIM_BYTES + (done?.json.length ?? 0);

export function claim(world: WorldState, claims: Claims, key: string, ask: { fingerprint: string; now: number; leaseMs: number }): Claim {
  const found = claims.get(key);
  if (found?.done && ask.now < found.done.keepUntil) {
    return found.fingerprint === ask.fingerprint ? { is: 'done', json: found.done.json } : { is: 'other-body' };
  }
  if (found && isHeld(found)) {
    return found.fingerprint === ask.fingerprint ? { is: 'running', leftMs: found.leaseUntil - Date.now() } : { is: 'other-body' };
  }
  // A released or abandoned claim of the same request keeps its first instant, so that the request creates the same ids.
  const before = found && !found.done && found.fingerprint === ask.fingerprint ? found : undefined;
  const { since, preconditionHeld } = before ?? { since: ask.now, preconditionHeld: false };
  if (found && found.token === undefined) world.bytes -= bytesOfClaim(found);
  const token = randomToken();
  const leaseUntil = Date.now() + ask.leaseMs;
  if (!before) claims.delete(key);
  claims.set(key, { fingerprint: ask.fingerprint, since, preconditionHeld, token, leaseUntil, done: undefined });
  return { is: 'ours', token, since, preconditionHeld };
}

const isHeld = ({ token, leaseUntil }: ClaimRecord): boolean => token !== undefined && Date.now() < leaseUntil;

/** Drops outdated claims, a limited number at a time. */
export function forgetClaims(world: WorldState, claims: Claims, now: number): void {
  let looked = 0;
  for (const [key, record] of claims) {
    const until = record.done?.keepUntil ?? record.since + CLAIM_KEPT_MS;
    if (now < until || looked++ === CLAIMS_FORGOTTEN) return;
    claims.delete(key);
    if (isHeld(record)) claims.set(key, record);
    else if (record.token === undefined) world.bytes -= bytesOfClaim(record);
  }
}
