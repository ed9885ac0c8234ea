import { type JournalRecord, recordOf } from '../../shared/control/journal.ts';
import type { World } from '../../shared/domain/world.ts';
import { JOURNAL_LIMITS } from '../../shared/store/journal-limits.ts';
import type { JournalReader } from '../../shared/store/ports/journal.ts';

const HOPS_PER_READ = 1_000;
/** Wall time without a read after which the hops of a world are dropped from memory. */
const KEPT_MS = 60_000;

export type SeenHop = Pick<
  JournalRecord,
  'requestId' | 'parentId' | 'correlationId' | 'sequence' | 'application' | 'api' | 'method' | 'status' | 'faults'
> & { readonly anonymous: boolean };

interface Seen {
  hops: readonly SeenHop[];
  last: number;
  reading: Promise<readonly SeenHop[]> | undefined;
  readonly forgetting: NodeJS.Timeout;
}

/** The hops in the journal of a world, without bodies. Each read fetches only the new hops. */
export function createSeenHops(worlds: JournalReader) {
  const worldsSeen = new Map<World, Seen>();

  function seenIn(world: World): Seen {
    const found = worldsSeen.get(world);
    if (found) {
      found.forgetting.refresh();
      return found;
    }
    const forgetting = setTimeout(() => worldsSeen.delete(world), KEPT_MS).unref();
    const fresh: Seen = { hops: [], last: 0, reading: undefined, forgetting };
    worldsSeen.set(world, fresh);
    return fresh;
  }

  async function read(world: World, seen: Seen): Promise<readonly SeenHop[]> {
    for (;;) {
      const { entries, oldest } = await worlds.journalOf(world, { after: seen.last, limit: HOPS_PER_READ, bodies: false });
      const fresh = entries.map((entry) => seenHop(recordOf(entry), entry.anonymous === true));
      seen.hops = kept([...seen.hops, ...fresh], oldest);
      seen.last = fresh.at(-1)?.sequence ?? seen.last;
      if (entries.length < HOPS_PER_READ) return seen.hops;
    }
  }

  /** Concurrent reads share one fetch. */
  return async (world: World): Promise<readonly SeenHop[]> => {
    const seen = seenIn(world);
    seen.reading ??= read(world, seen).finally(() => {
      seen.reading = undefined;
    });
    return seen.reading;
  };
}

const seenHop = (
  { requestId, parentId, correlationId, sequence, application, api, method, status, faults }: JournalRecord,
  anonymous: boolean,
): SeenHop => ({ requestId, parentId, correlationId, sequence, application, api, method, status, faults, anonymous });

/** Without the hops that the journal has discarded. It keeps the newest hops of callers without a credential apart from the others. */
function kept(hops: readonly SeenHop[], oldest: number): readonly SeenHop[] {
  const anonymous = hops.filter((hop) => hop.anonymous);
  const from = anonymous.at(-JOURNAL_LIMITS.anonymous.records)?.sequence ?? 0;
  return hops.filter((hop) => hop.sequence >= (hop.anonymous ? from : oldest));
}
