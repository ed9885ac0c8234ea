import { createEstateClient, type EstateClient } from '../rehearsal/estate-client.ts';

export const ADMIN = 'demo-sim-admin';

/** A client with a rehearsal of its own: all the stock is there, and what it leaves behind is gone before the next one. */
export interface OwnRehearsal extends AsyncDisposable {
  readonly client: EstateClient;
  readonly name: string;
  /** Credential that is bound to it. */
  readonly bearer: string;
}

/** @param leaves keep the rehearsal when the client is disposed of */
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

/** A client of something that knows no rehearsals. */
export function stranger(url: string): OwnRehearsal {
  const client = createEstateClient({ gateway: url, bearer: 'nobody', apiKey: 'nobody', admin: 'nobody' });
  return { client, name: '', bearer: 'nobody', [Symbol.asyncDispose]: () => client.close() };
}
