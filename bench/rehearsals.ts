import { createEstateClient, type EstateClient } from '../rehearsal/estate-client.ts';

export const ADMIN = 'demo-sim-admin';

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

/** Each round uses a new rehearsal with full stock, and deletes it afterwards. */
export async function inNewRehearsal<Result>(gateway: string, act: (rehearsal: OwnRehearsal) => Promise<Result>): Promise<Result> {
  await using rehearsal = await openRehearsal(gateway);
  return await act(rehearsal);
}

/** A client of a server without rehearsals. */
export function stranger(url: string): OwnRehearsal {
  const client = createEstateClient({ gateway: url, bearer: 'nobody', apiKey: 'nobody', admin: 'nobody' });
  return { client, name: '', bearer: 'nobody', [Symbol.asyncDispose]: () => client.close() };
}
