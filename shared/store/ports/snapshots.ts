/** A kept world. */
export interface KeptSnapshot {
  readonly name: string;
  /** What a list shows (JSON). */
  readonly head: string;
  /** The compressed file. */
  readonly content: Uint8Array;
}

/** The snapshots of the estate. They belong to no rehearsal, and stay until they are deleted. */
export interface SnapshotStore {
  /** Keeps a snapshot. It replaces one of the same name. @param most limit of their number @returns false, with nothing changed, at the limit */
  keepSnapshot(snapshot: KeptSnapshot, most: number): Promise<boolean>;
  /** The heads, by name. */
  snapshots(): Promise<ReadonlyMap<string, string>>;
  /** @returns undefined when there is none */
  snapshot(name: string): Promise<Uint8Array | undefined>;
  /** @returns false when there was none */
  removeSnapshot(name: string): Promise<boolean>;
}
