import { z } from 'zod';
import type { ChangingFault } from '../../shared/catalog/control/faults.ts';
import { describeFault } from '../../shared/control/faults.ts';
import { defineCollection, dumpOf } from '../../shared/store/collections.ts';
import type { ControlStore, Store } from '../../shared/store/ports/estate-store.ts';
import type { WorldView } from '../../shared/store/ports/rehearsals.ts';
import type { ApplicationDump } from '../../shared/store/ports/world-data.ts';
import { change, unitIn } from '../webhooks/unit.ts';

export interface ForbiddenChange {
  readonly name: string;
  readonly change: string;
}

/** Faults that are remembered. More of them give no further reason. */
export const MOST_REMEMBERED = 20;
const ID = 'all';

const forbidden = defineCollection({
  name: 'forbidden-changes',
  schema: z.object({
    id: z.string(),
    version: z.int(),
    faults: z.array(z.object({ name: z.string(), change: z.string() })).max(MOST_REMEMBERED),
  }),
});

/** The records of a world that begins with forbidden changes. */
export function recordsOf(faults: readonly ForbiddenChange[]): ApplicationDump {
  const row = { id: ID, version: 1, faults };
  return dumpOf({ objects: [{ of: forbidden, rows: [row] }] });
}

/**
 * The forbidden changes of a world. One that was deleted counts, too: a client that got it may have acted on it, so the world does not show
 * whether the client is sound.
 */
export function createForbiddenChanges({ store, control }: { readonly store: Store; readonly control: ControlStore }) {
  const remember = (view: WorldView, changes: readonly ForbiddenChange[]): Promise<void> =>
    change(store, view, {
      run: async (unit) => {
        const before = await unit.get(forbidden, ID);
        const known = before?.faults ?? [];
        const added = changes.filter((one) => !known.some(({ name, change }) => name === one.name && change === one.change));
        if (added.length === 0 || known.length >= MOST_REMEMBERED) return;
        unit.put(forbidden, { ...before, id: ID, faults: [...known, ...added].slice(0, MOST_REMEMBERED) });
      },
    });

  return {
    /** Remembers a fault that has been set. */
    async note(view: WorldView, name: string, fault: ChangingFault): Promise<void> {
      if (fault.kind === 'forbidden') await remember(view, [{ name, change: fault.change }]);
    },
    remember,
    /** Those that were set in this world, and those that it got with the world that it was forked from. */
    async of(view: WorldView): Promise<readonly ForbiddenChange[]> {
      const noted = (await unitIn(store, view).get(forbidden, ID))?.faults ?? [];
      const set = (await control.faults(view.world)).rules.map(describeFault).flatMap(({ name, fault }) => {
        return fault.kind === 'forbidden' ? [{ name, change: fault.change as string }] : [];
      });
      return [...new Map([...noted, ...set].map((one) => [`${one.name} ${one.change}`, one])).values()];
    },
  };
}

export type ForbiddenChanges = ReturnType<typeof createForbiddenChanges>;
