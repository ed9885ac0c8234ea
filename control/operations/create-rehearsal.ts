import { createRehearsal as operation } from '../../shared/catalog/control/operations/rehearsals.ts';
import { carrierWebhook } from '../../shared/catalog/fulfillment/apis.ts';
import { invalid } from '../../shared/catalog/problems.ts';
import { idleExpiryMs } from '../../shared/domain/duration.ts';
import { newId } from '../../shared/domain/ids.ts';
import type { Ms } from '../../shared/domain/time.ts';
import { operateOnRehearsals } from '../operate.ts';
import { describeNewWorld } from '../rehearsals/describe.ts';

export const createRehearsal = operateOnRehearsals(operation)(async ({ body }, { rehearsals, worlds }) => {
  const name = body.name ?? newId('req', Date.now()).replace('req_', 'r-').toLowerCase();
  const plain = await rehearsals.create(name, idleMsOf(body));
  return {
    ...(await describeNewWorld(name, worlds)),
    credentials: { ...plain, webhookUrl: `${carrierWebhook.path}?rehearsal=${name}` },
  };
});

/** @returns null to keep the rehearsal, undefined for the configured idle time */
function idleMsOf({ idleExpiry, keep }: { readonly idleExpiry?: string; readonly keep: boolean }): Ms | null | undefined {
  if (idleExpiry === undefined) return keep ? null : undefined;
  if (keep) {
    throw invalid('/idleExpiry', 'not_together', 'A rehearsal that is kept has no idle expiry: give either keep or idleExpiry.');
  }
  try {
    return idleExpiryMs(idleExpiry);
  } catch (error) {
    throw invalid('/idleExpiry', 'invalid_duration', (error as Error).message);
  }
}
