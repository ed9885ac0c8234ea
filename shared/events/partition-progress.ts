/**
 * What of a partition may be committed: everything before the first record that is still to be delivered. Records are delivered in
 * any order, and a consumer that dies must be given again whatever was not.
 */
export class PartitionProgress {
  #next: number;
  /** In the order in which they were taken, which is ascending. */
  readonly #undelivered = new Set<number>();
  #committed: number | undefined;

  constructor(firstOffset: number) {
    this.#next = firstOffset;
  }

  get next(): number {
    return this.#next;
  }

  taken(offset: number): void {
    this.#undelivered.add(offset);
    this.#next = offset + 1;
  }

  delivered(offset: number): void {
    this.#undelivered.delete(offset);
  }

  /** Offsets up to this one hold nothing for a consumer: marks of transactions, or records that were compacted away. */
  passed(offset: number): void {
    this.#next = Math.max(this.#next, offset + 1);
  }

  /** @returns undefined when nothing was delivered since the last commit */
  uncommitted(): number | undefined {
    const upTo = this.#undelivered.values().next().value ?? this.#next;
    return upTo === this.#committed ? undefined : upTo;
  }

  committed(offset: number): void {
    this.#committed = offset;
  }
}
