/** Records of a partition arrive in any order. Offsets are committed up to the first undelivered one; the broker repeats the rest. */
export class PartitionProgress {
  #next: number;
  /** The undelivered offsets, ascending. */
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

  /** Skips the offsets up to this one. They have no records for a consumer, because they are transaction markers or compacted. */
  passed(offset: number): void {
    this.#next = Math.max(this.#next, offset + 1);
  }

  /** @returns undefined without deliveries since the last commit */
  uncommitted(): number | undefined {
    const upTo = this.#undelivered.values().next().value ?? this.#next;
    return upTo === this.#committed ? undefined : upTo;
  }

  committed(offset: number): void {
    this.#committed = offset;
  }
}
