import { type Context, contextFor } from '../../shared/control/context.ts';
import { newId } from '../../shared/domain/ids.ts';
import type { Store } from '../../shared/store/ports/estate-store.ts';
import type { Fence } from '../../shared/store/ports/plan.ts';
import type { WorldView } from '../../shared/store/ports/rehearsals.ts';
import { changeRecords, recordUnit } from '../../shared/work/records.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';

type View = Pick<WorldView, 'world' | 'now' | 'lineage' | 'seed' | 'faults'>;

function contextIn(view: View): Context {
  const requestId = newId('req', view.now);
  return contextFor(view, { principal: 'gateway', requestId, correlationId: requestId, withinMs: 0 });
}

/** A unit of work on the gateway's records of a world. */
export const unitIn = (store: Store, view: View): UnitOfWork => recordUnit(store, contextIn(view));

interface Change<T> {
  readonly run: (unit: UnitOfWork) => Promise<T>;
  readonly fence?: Fence;
  readonly isLast?: boolean;
}

/** Changes the gateway's records of a world. @throws Conflict when its fence is lost, or its world is gone */
export const change = <T>(store: Store, view: View, { run, ...options }: Change<T>): Promise<T> =>
  changeRecords(store, contextIn(view), run, options);
