import { timingSafeEqual } from 'node:crypto';

/** Decides whether an `Authorization` header carries the key of this store. */
export interface StoreCredential {
  accepts(authorization: string | undefined): boolean;
}

/** Matches the scheme in any case, the key exactly in constant time. Node decodes headers as Latin-1, so the sent bytes are compared. */
export function storeCredential(storeKey: string): StoreCredential {
  const expected = Buffer.from(storeKey, 'latin1');
  const candidate = Buffer.alloc(expected.length);

  return {
    accepts(authorization) {
      const key = bearerKey(authorization);
      if (key === undefined) return false;
      candidate.fill(0);
      candidate.write(key, 'latin1');
      const same = timingSafeEqual(candidate, expected);
      return same && key.length === expected.length;
    },
  };
}

function bearerKey(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^bearer +([^ ].*)$/i.exec(authorization)?.[1];
}
