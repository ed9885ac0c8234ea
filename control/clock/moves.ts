import type { Ms } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import type { DueItem } from '../../shared/store/ports/due-work.ts';
import type { LogStore } from '../../shared/store/ports/logs.ts';

/** Due work that ran while a clock was moved. `requestId`: its hop in the journal. */
export type RanTimer = Pick<DueItem, 'application' | 'kind' | 'key' | 'at' | 'correlationId'> & { readonly requestId: string };

/** What an advance did. */
interface ClockMove {
  readonly from: Ms;
  readonly to: Ms;
  /** Wall time. */
  readonly movedAt: Ms;
  /** Sequence of the newest hop when the advance began. */
  readonly after: number;
  /** Number of the timers that ran. */
  readonly ran: number;
  /** The first of them, at most `KEPT_TIMERS`. */
  readonly timers: readonly RanTimer[];
}

export type RecordedMove = ClockMove & { readonly number: number };

/** @returns the number of the move */
export const addMove = (logs: Pick<LogStore, 'addEntry'>, world: World, move: ClockMove): Promise<number> =>
  logs.addEntry(world, 'moves', JSON.stringify(move));

/** The moves with a lower number, newest first. Absent: the newest. */
export async function readMoves(
  logs: Pick<LogStore, 'entries'>,
  world: World,
  page: { readonly before?: number; readonly limit: number },
): Promise<readonly RecordedMove[]> {
  const entries = await logs.entries(world, 'moves', page);
  return entries.map(({ number, json }) => ({ ...(JSON.parse(json) as ClockMove), number }));
}
