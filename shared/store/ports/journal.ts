import type { World } from '../../domain/world.ts';

export interface JournalEntry {
  readonly requestId: string;
  readonly correlationId: string;
  readonly json: string;
  /** The caller had no credential. Such hops get little space and never displace others. */
  readonly anonymous?: true | undefined;
}

export interface JournalAsk {
  readonly correlationId?: string | undefined;
  /** Number of hops, newest first chosen; absent: all. */
  readonly limit?: number | undefined;
}

export interface JournalPage {
  /** In the order in which they were recorded; `ageMs` is the wall time since then. */
  readonly entries: readonly (JournalEntry & { readonly ageMs: number })[];
  /** Older hops of the world have been discarded. */
  readonly truncated: boolean;
}

/** Records the hops of a world. */
export interface JournalWriter {
  journal(world: World, entry: JournalEntry): void;
}

export interface JournalReader {
  journalOf(world: World, ask?: JournalAsk): Promise<JournalPage>;
  /** @returns those of the requests of which the journal has a hop */
  journaled(world: World, requestIds: readonly string[]): Promise<ReadonlySet<string>>;
}
