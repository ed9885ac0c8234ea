import type { EstateCredentials } from '../../rehearsal/estate-rehearsal.ts';
import type { Reply } from '../../rehearsal/reply.ts';
import { DEFAULT_REHEARSAL } from '../../shared/domain/ids.ts';
import { REFUSED, reach } from './ask.ts';
import { clientOf } from './connection.ts';

/** An invalid name: the gateway checks the credential, refuses the name, and no journal records the request. */
const NO_REHEARSAL = '-';

const trials = [
  ['bearer', '/orders/ord_none'],
  ['api-key', '/shipments/shp_none/tracking'],
  ['admin', '/_control/clock'],
] as const;

export interface Access extends EstateCredentials {
  readonly against: string;
}

/** Tries each credential. @returns a sentence for each that the estate refuses */
export async function refusedCredentials({ against, ...credentials }: Access): Promise<readonly string[]> {
  await using client = clientOf({ ...credentials, against, rehearsal: DEFAULT_REHEARSAL }, credentials);
  const answers = await Promise.all(
    trials.map(async ([as, path]) => ({
      refused: REFUSED[as],
      reply: await reach(against, () => client.call('GET', path, undefined, { as, headers: { 'x-rehearsal': NO_REHEARSAL } })),
    })),
  );
  return answers.filter(({ reply }) => isRefused(reply)).map(({ refused }) => refused);
}

const isRefused = ({ status }: Reply): boolean => status === 401 || status === 403;
