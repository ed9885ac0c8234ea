import { Problem } from '../../catalog/problems.ts';
import type { AnyCollection, Stored } from '../../store/collections.ts';
import type { Plan } from '../../store/ports/plan.ts';

/** `If-Match` of a request, and the object that it is for. Shared by all runs of the request. */
export interface Precondition {
  /** As the request names the object: its id, or another key that is unique to it. */
  readonly name: string;
  readonly version: number;
  /** A commit of this request has met it. Later changes are the request's own, or come after its begin. */
  isMet: boolean;
}

/** The versions that a commit relies on: those that a handler expects, and the one that `If-Match` names. */
export class ExpectedVersions {
  readonly #ifMatch: Precondition | undefined;
  #expected: Plan['expect'] = [];
  #matched: Plan['expect'][number] | undefined;

  constructor(ifMatch: Precondition | undefined) {
    this.#ifMatch = ifMatch;
  }

  expect(of: AnyCollection, { id, version }: Stored): void {
    this.#expected = [...this.#expected, { collection: of.name, id, version }];
  }

  /**
   * Compares an object that was read with `If-Match`. Only collections whose version clients hold count: the service may keep a record
   * of its own under the same id.
   * @param key the key by which the object was read
   * @throws Problem `version_mismatch`
   */
  check(of: AnyCollection, object: Stored | undefined, key: string): void {
    const ifMatch = this.#ifMatch;
    if (!ifMatch || ifMatch.isMet || !of.etag || !object || key !== ifMatch.name) return;
    const { id, version } = object;
    if (version !== ifMatch.version) {
      throw new Problem('version_mismatch', `"${id}" has version ${version}, not ${ifMatch.version}.`, { id, currentVersion: version });
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
    if (this.#matched && this.#ifMatch) this.#ifMatch.isMet = true;
    this.clear();
  }

  clear(): void {
    this.#expected = [];
    this.#matched = undefined;
  }
}
