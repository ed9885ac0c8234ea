import type { Owner } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';

/** Ends a turn. Later calls have no effect. */
export type EndTurn = () => void;

/**
 * The order of work in worlds with a seed. A request from outside begins when the world is quiet: when no event is unsent or undelivered, and
 * no application has work that is due. After the requests, events are sent, first committed first. Then deliveries run one at a time,
 * and then due work. So the same requests, one after another, make the same events in the same order. Requests in parallel run in parallel.
 * Webhooks to receivers begin outside these turns, because a receiver may call the estate before it answers. `due-schedule.ts` orders them: the seed
 * draws the order of webhooks about different objects.
 */
export interface Turns {
  /** Whether the work of this world takes turns. */
  isOrdered(world: World): boolean;
  /** Waits until a request from outside may begin. */
  request(world: World): Promise<EndTurn>;
  /** Whether work takes its turn now. A request that it causes, such as a signed webhook, is a part of it. */
  isBusy(world: World): boolean;
  /** Waits for the turn of a delivery, or of due work. */
  take(world: World, work: 'delivery' | 'due'): Promise<EndTurn>;
  /** Announces a delivery. Due work and requests wait until the announcement has ended. */
  announce(world: World): EndTurn;
  /** Adds the relay of an application. @param send sends the events that are next in the world @returns removes it */
  addRelay(application: Owner, send: (world: World) => Promise<void>): () => void;
  /** Has the relay send new events, when it is their turn. */
  wakeRelay(world: World, application: Owner): void;
}
