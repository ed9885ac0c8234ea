import { createEstateClient, type EstateClient } from '../rehearsal/estate-client.ts';

export const ADMIN = 'demo-control-token';

/** A client with its own rehearsal, which starts with full stock and is deleted with the client. */
export interface OwnRehearsal extends AsyncDisposable {
  readonly client: EstateClient;
  readonly name: string;
  /** Credential bound to the rehearsal. */
  readonly bearer: string;
}

/** @param leaves whether the rehearsal is kept when the client is disposed of */
export async function openRehearsal(gateway: string, { leaves = false }: { readonly leaves?: boolean } = {}): Promise<OwnRehearsal> {
  const admin = createEstateClient({ gateway, bearer: '', apiKey: '', admin: ADMIN, rehearsal: 'default' });
  const { name, credentials } = await admin.control('create-rehearsal');
  const { bearer, apiKey } = credentials;
  const client = createEstateClient({ gateway, bearer, apiKey, admin: ADMIN, rehearsal: name });
  return {
    ...{ client, name, bearer },
    async [Symbol.asyncDispose]() {
      if (!leaves) await admin.control('delete-rehearsal', { params: { name } });
      await Promise.all([client.close(), admin.close()]);
    },
  };
}

/** Each round uses a new rehearsal with full stock. Its invariants must hold at the end; then it is deleted. */
export async function inNewRehearsal<Result>(gateway: string, act: (rehearsal: OwnRehearsal) => Promise<Result>): Promise<Result> {
  await using rehearsal = await openRehearsal(gateway);
  const result = await act(rehearsal);
  await requireHolding(rehearsal);
  return result;
}

/** Wall time that unfinished work after a round may take on a busy machine. */
const SETTLE_MS = 120_000;

/** Verifies the rehearsal of a round, since figures of wrong results are worthless. @throws Error with the violated invariants */
export async function requireHolding({ client, name }: OwnRehearsal): Promise<void> {
  await client.control('settle', { body: { timeoutMs: SETTLE_MS } });
  const { holds, settled, waitingFor, invariants } = await client.control('verify');
  const broken = [...waitingFor, ...invariants.flatMap(({ violations }) => violations)].slice(0, 5);
  if (!holds || !settled) throw new Error(`The rehearsal ${name} violates invariants: ${broken.join('; ')}`);
}

/** A client of a server without rehearsals. */
export function stranger(url: string): OwnRehearsal {
  const client = createEstateClient({ gateway: url, bearer: 'nobody', apiKey: 'nobody', admin: 'nobody' });
  return { client, name: '', bearer: 'nobody', [Symbol.asyncDispose]: () => client.close() };
}
