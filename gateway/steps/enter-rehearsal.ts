import { isMutating } from '../../shared/catalog/define.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { rehearsalFull } from '../../shared/control/rehearsal-full.ts';
import type { WorldView } from '../../shared/store/ports/directory.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import type { Authenticated } from './authenticate.ts';
import type { ForApi } from './find-target.ts';
import type { InRehearsal } from './name-rehearsal.ts';

export interface Entered {
  readonly view: WorldView;
}

/** Finds the world. A known unbound credential creates its rehearsal. @throws Problem unknown_rehearsal, dependency_unavailable */
export const enterRehearsal =
  ({ access }: GatewayParts) =>
  async ({ caller, rehearsal }: Authenticated & InRehearsal): Promise<Entered> => {
    const view = caller?.boundTo ?? (await access.resolve(rehearsal));
    if (view) return { view };
    if (caller) return { view: await access.create(rehearsal) };
    throw new Problem('unknown_rehearsal', `There is no rehearsal "${rehearsal}". Send a credential with its name to create it.`, {
      rehearsal,
    });
  };

/**
 * Counts the request as use of its rehearsal. The carrier's webhooks finish started work, so they may write to a full rehearsal.
 * @throws Problem rehearsal_full for other requests that may write
 */
export const useRehearsal =
  ({ noteUse, worldBytes }: GatewayParts) =>
  ({ view: { rehearsal, bytes }, api }: Entered & ForApi): void => {
    if (bytes >= worldBytes && isMutating(api) && api.auth !== 'signature') throw rehearsalFull(rehearsal, bytes, worldBytes);
    noteUse(rehearsal);
  };
