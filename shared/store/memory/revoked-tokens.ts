import type { Ms } from '../../domain/time.ts';

/** More than one, so that a round over all tokens ends although each revocation adds one. */
const LOOKED_AT = 2;

/**
 * Ids of revoked access tokens until their ends. Tokens have different lifetimes, so they do not end in the sequence of revocations. Each
 * revocation looks at the next two tokens: expired ones are forgotten, and no revocation is dearer than the one before.
 */
export class RevokedTokens {
  readonly #ends = new Map<string, Ms>();
  #round = this.#ends.entries();

  revoke(id: string, endsAt: Ms, now: Ms): void {
    for (let looked = 0; looked < LOOKED_AT; looked++) this.#lookAtNext(now);
    this.#ends.set(id, endsAt);
  }

  #lookAtNext(now: Ms): void {
    const { value: next } = this.#round.next();
    if (!next) this.#round = this.#ends.entries();
    else if (next[1] <= now) this.#ends.delete(next[0]);
  }

  /** An expired token may be forgotten, because it is refused anyway. */
  has(id: string, now: Ms): boolean {
    return (this.#ends.get(id) ?? now) > now;
  }

  /** Expired ones included until they are forgotten. */
  get size(): number {
    return this.#ends.size;
  }
}
