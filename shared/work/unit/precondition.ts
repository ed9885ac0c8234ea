import { Problem } from '../../catalog/problems.ts';
import type { AnyCollection, Stored } from '../../store/collections.ts';
import type { Plan } from '../../store/ports/plan.ts';
import type { UnitOfWork } from '../unit-of-work.ts';

/** `If-Match` of a request, and the id that its path names. Shared by all runs of the request. */
export interface Precondition {
  readonly id: string;
  readonly version: number;
  /** A commit of this request found it fulfilled. Later changes are the request's own, or come after its begin. */
  held: boolean;
}

/** The versions that a commit relies on: those that a handler expects, and the one that `If-Match` names. */
export function createPrecondition(asked: Precondition | undefined) {
  let expected: Plan['expect'] = [];
  let matched: Plan['expect'][number] | undefined;

  function clear(): void {
    expected = [];
    matched = undefined;
  }

  const api: Pick<UnitOfWork, 'expect'> = {
    expect(of, { id, version }) {
      expected = [...expected, { collection: of.name, id, version }];
    },
  };

  return {
    api,
    /**
     * Compares an object that was read with `If-Match`. Only collections whose version clients hold count: the service may keep a record
     * of its own under the same id.
     * @throws Problem `version_mismatch`
     */
    check(of: AnyCollection, object: Stored | undefined): void {
      if (!asked || asked.held || !of.etag || object?.id !== asked.id) return;
      const { id, version } = object;
      if (version !== asked.version) {
        throw new Problem('version_mismatch', `"${id}" has version ${version}, not ${asked.version}.`, { id, currentVersion: version });
      }
      matched = { collection: of.name, id, version };
    },
    planned: (): Plan['expect'] => (matched ? [...expected, matched] : expected),
    /** Whether this commit finds `If-Match` fulfilled. */
    isMatched: (): boolean => matched !== undefined,
    /** After a commit. */
    settle(): void {
      if (matched && asked) asked.held = true;
      clear();
    },
    clear,
  };
}

export type HeldPrecondition = ReturnType<typeof createPrecondition>;
