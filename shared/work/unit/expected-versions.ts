import { namesVersion } from '../../catalog/headers.ts';
import { Problem } from '../../catalog/problems.ts';
import type { AnyCollection, Stored } from '../../store/collections.ts';
import type { Plan } from '../../store/ports/plan.ts';

/** `If-Match` of a request, and the object that it is for. Shared by all runs of the request. */
export interface Precondition {
  /** The key of the object in the request: its id or a unique value. */
  readonly name: string;
  readonly ifMatch: string;
  /** Whether a commit of this request has met it. Later versions come from the request itself, or from changes after it began. */
  isMet: boolean;
}

/** The versions that a commit relies on: those that a handler expects, and the one that `If-Match` has matched. */
export class ExpectedVersions {
  readonly #precondition: Precondition | undefined;
  #expected: Plan['expect'] = [];
  #matched: Plan['expect'][number] | undefined;

  constructor(precondition: Precondition | undefined) {
    this.#precondition = precondition;
  }

  expect(of: AnyCollection, { id, version }: Stored): void {
    this.#expected = [...this.#expected, { collection: of.name, id, version }];
  }

  /**
   * Compares an object that was read with `If-Match`. Only collections whose versions clients have count: the service may keep a private
   * record under the same id.
   * @param key the id or unique value that the read used
   * @throws Problem `version_mismatch`
   */
  check(of: AnyCollection, object: Stored | undefined, key: string): void {
    const precondition = this.#precondition;
    if (!precondition || precondition.isMet || !of.etag || !object || key !== precondition.name) return;
    const { id, version } = object;
    const { ifMatch } = precondition;
    if (!namesVersion(ifMatch, version)) {
      const weak = ifMatch.includes('W/') ? ' A weak tag matches nothing: send the ETag without W/.' : '';
      throw new Problem('version_mismatch', `"${id}" has version ${version}, which If-Match does not name.${weak}`, {
        id,
        currentVersion: version,
      });
    }
    this.#matched = { collection: of.name, id, version };
  }

  planned(): Plan['expect'] {
    return this.#matched ? [...this.#expected, this.#matched] : this.#expected;
  }

  /** Whether this commit meets `If-Match`. */
  meetsIfMatch(): boolean {
    return this.#matched !== undefined;
  }

  /** After a commit. */
  settle(): void {
    if (this.#matched && this.#precondition) this.#precondition.isMet = true;
    this.clear();
  }

  clear(): void {
    this.#expected = [];
    this.#matched = undefined;
  }
}
