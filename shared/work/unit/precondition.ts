import { Problem } from '../../catalog/problems.ts';
import type { AnyCollection, Stored } from '../../store/collections.ts';
import type { Plan } from '../../store/ports/plan.ts';

/** `If-Match` of a request, and the id that its path names. Shared by all runs of the request. */
export interface Precondition {
  readonly id: string;
  readonly version: number;
  /** A commit of this request found it fulfilled. Later changes are the request's own, or come after its begin. */
  held: boolean;
}

/** The versions that a commit relies on: those that a handler expects, and the one that `If-Match` names. */
export class HeldPrecondition {
  readonly #asked: Precondition | undefined;
  #expected: Plan['expect'] = [];
  #matched: Plan['expect'][number] | undefined;

  constructor(asked: Precondition | undefined) {
    this.#asked = asked;
  }

  expect(of: AnyCollection, { id, version }: Stored): void {
    this.#expected = [...this.#expected, { collection: of.name, id, version }];
  }

  /**
   * Compares an object that was read with `If-Match`. Only collections whose version clients hold count: the service may keep a record
   * of its own under the same id.
   * @throws Problem `version_mismatch`
   */
  check(of: AnyCollection, object: Stored | undefined): void {
    const asked = this.#asked;
    if (!asked || asked.held || !of.etag || object?.id !== asked.id) return;
    const { id, version } = object;
    if (version !== asked.version) {
      throw new Problem('version_mismatch', `"${id}" has version ${version}, not ${asked.version}.`, { id, currentVersion: version });
    }
    this.#matched = { collection: of.name, id, version };
  }

  planned(): Plan['expect'] {
    return this.#matched ? [...this.#expected, this.#matched] : this.#expected;
  }

  /** Whether this commit finds `If-Match` fulfilled. */
  isMatched(): boolean {
    return this.#matched !== undefined;
  }

  /** After a commit. */
  settle(): void {
    if (this.#matched && this.#asked) this.#asked.held = true;
    this.clear();
  }

  clear(): void {
    this.#expected = [];
    this.#matched = undefined;
  }
}
