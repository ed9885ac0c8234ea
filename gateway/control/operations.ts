import type { ControlId, ControlInput, ControlOutput, controlOperations } from '../../shared/catalog/simulation/operations.ts';
import type { WorldView } from '../../shared/store/ports/directory.ts';

/** About what an operation is asked. */
export interface OperationScope {
  readonly name: string;
  readonly view: WorldView;
  /** Aborted when the client has gone: nobody waits for the answer any more. */
  readonly gone: AbortSignal;
}

export type Operations = {
  readonly [Id in ControlId]: (
    input: ControlInput<(typeof controlOperations)[Id]>,
    scope: OperationScope,
  ) => Promise<ControlOutput<(typeof controlOperations)[Id]>>;
};
