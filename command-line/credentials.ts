import type { EstateClient } from '../rehearsal/estate-client.ts';
import type { EstateCredentials } from '../rehearsal/estate-rehearsal.ts';
import type { Reply } from '../rehearsal/reply.ts';
import { REFUSED_ADMIN, reach } from './ask.ts';

/** A harmless call with each credential: what it reads does not exist. */
const trials = [
  [
    'bearer',
    '/orders/ord_none',
    'The estate refuses this credential for the APIs; give the right one with --bearer or ESTATE_BEARER_TOKEN.',
  ],
  [
    'api-key',
    '/shipments/shp_none/tracking',
    'The estate refuses this key for the carrier’s APIs; give the right one with --api-key or ESTATE_API_KEY.',
  ],
  ['admin', '/_sim/clock', REFUSED_ADMIN],
] as const satisfies readonly (readonly ['bearer' | 'api-key' | 'admin', string, string])[];

export interface Access extends EstateCredentials {
  readonly against: string;
}

/** Tries each credential. @returns a sentence for each that the estate refuses */
export async function refusedCredentials(client: EstateClient, { against }: Access): Promise<readonly string[]> {
  const answers = await Promise.all(
    trials.map(async ([as, path, refused]) => ({
      refused,
      reply: await reach(against, () => client.call('GET', path, undefined, { as })),
    })),
  );
  return answers.filter(({ reply }) => isRefused(reply)).map(({ refused }) => refused);
}

const isRefused = ({ status }: Reply): boolean => status === 401 || status === 403;
