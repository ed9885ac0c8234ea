import { carrierWebhook } from '../../../shared/catalog/fulfillment/apis.ts';
import { invalid, Problem } from '../../../shared/catalog/problems.ts';
import { idleExpiryMs } from '../../../shared/domain/duration.ts';
import { DEFAULT_REHEARSAL, newId } from '../../../shared/domain/ids.ts';
import { instant, type Ms } from '../../../shared/domain/time.ts';
import type { WorldView } from '../../../shared/store/ports/directory.ts';
import type { Lifetime, RehearsalRecord, RehearsalStore } from '../../../shared/store/ports/rehearsals.ts';
import type { Operations } from '../operations.ts';

import { type Rehearsals, unknownRehearsal } from './rehearsals.ts';

interface OperationsOptions {
  readonly worlds: RehearsalStore;
  readonly rehearsals: Rehearsals;
}

type RehearsalOperations = Pick<Operations, 'create-rehearsal' | 'list-rehearsals' | 'delete-rehearsal'>;

/** Operations about rehearsals themselves: they are in none, and bring none into being by naming it. */
export function createRehearsalOperations({ worlds, rehearsals }: OperationsOptions): RehearsalOperations {
  return {
    'create-rehearsal': async ({ body }) => {
      const name = body.name ?? newId('req', Date.now()).replace('req_', 'r-').toLowerCase();
      const { view, plain } = await rehearsals.create(name, idleMsOf(body));
      return {
        ...shownWorld(view, new Date().toISOString()),
        credentials: { ...plain, webhookUrl: `${carrierWebhook.path}?rehearsal=${name}` },
      };
    },
    'list-rehearsals': async () => ({ items: (await worlds.list()).map(shownRecord) }),
    'delete-rehearsal': async ({ params }) => {
      if (params.name === DEFAULT_REHEARSAL)
        throw new Problem('forbidden', 'The default rehearsal cannot be deleted; reset it with POST /_sim/reset.');
      if (await worlds.remove(params.name)) return null;
      throw unknownRehearsal(params.name);
    },
  };
}

export const shownWorld = (view: WorldView, createdAt: string) => ({
  name: view.rehearsal,
  world: view.world,
  createdAt,
  now: instant(view.now),
});

/** @returns undefined: as the estate usually does */
function idleMsOf({ idleExpiry, keep }: { readonly idleExpiry?: string | undefined; readonly keep: boolean }): Ms | null | undefined {
  if (idleExpiry === undefined) return keep ? null : undefined;
  if (keep)
    throw invalid('/idleExpiry', 'not_together', 'A rehearsal that is kept does not end by itself: give either keep or idleExpiry.');
  try {
    return idleExpiryMs(idleExpiry);
  } catch (error) {
    throw invalid('/idleExpiry', 'invalid_duration', (error as Error).message);
  }
}

const shownLifetime = ({ lastUsedAt, endsAt }: Lifetime) => ({
  lastUsedAt: instant(lastUsedAt),
  ...(endsAt !== null && { endsAt: instant(endsAt) }),
});

function shownRecord({ rehearsal, current, trouble, ...lifetime }: RehearsalRecord) {
  const known = { name: rehearsal, ...shownLifetime(lifetime) };
  if (!current) return { ...known, trouble: trouble ?? 'It cannot be read.' };
  const { world, createdAt, now, contents } = current;
  try {
    return { ...known, world, createdAt, now: instant(now), contents };
  } catch {
    return { ...known, world, createdAt, contents, trouble: `Its clock stands at ${now}, which is no instant.` };
  }
}
