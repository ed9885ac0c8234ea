import { z } from 'zod';
import type { ChangingFault } from '../../shared/catalog/control/faults.ts';
import { describeFault } from '../../shared/control/faults.ts';
import { defineCollection } from '../../shared/store/collections.ts';
import type { ControlStore, Store } from '../../shared/store/ports/estate-store.ts';
import type { WorldView } from '../../shared/store/ports/rehearsals.ts';
import { change, unitIn } from '../webhooks/unit.ts';

interface ForbiddenChange {
  readonly name: string;
  readonly change: string;
}

/** Faults that are remembered. More of them give no further reason. */
const MOST_REMEMBERED = 20;
const ID = 'all';

const forbidden = defineCollection({
  name: 'forbidden-changes',
  schema: z.object({
    id: z.string(),
    version: z.int(),
    faults: z.array(z.object({ name: z.string(), change: z.string() })).max(MOST_REMEMBERED),
  }),
});

/**
 * The forbidden changes of a world. One that was deleted counts, too: a client that got it may have acted on it, so the world does not show
 * whether the client is sound.
 */
export function createForbiddenChanges({ store, control }: { readonly store: Store; readonly control: ControlStore }) {
  return {
    /** Remembers a fault that has been set. */
    async note(view: WorldView, name: string, fault: ChangingFault): Promise<void> {
      if (fault.kind !== 'forbidden') return;
      await change(store, view, {
        run: async (unit) => {
          const before = await unit.get(forbidden, ID);
          const faults = [...(before?.faults ?? [])];
          if (faults.length >= MOST_REMEMBERED || faults.some((one) => one.name === name && one.change === fault.change)) return;
          unit.put(forbidden, { ...before, id: ID, faults: [...faults, { name, change: fault.change }] });
        },
      });
    },
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
