import type { Progression } from '../../catalog/control/progression.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';

/** HMACs of the credentials bound to a rehearsal. The secrets themselves are in the answer of its creation only. */
export interface RehearsalCredentials {
  readonly bearer: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
}

/** The part of a rehearsal that the gateway, the consumers and the relay need. One read gets it. */
export interface WorldView {
  readonly rehearsal: string;
  readonly world: World;
  readonly now: Ms;
  readonly flowing: boolean;
  /** How often the clock was moved by an advance. */
  readonly moves: number;
  /** Revision of the fault rules; 0 = none. */
  readonly faults: number;
  /** Size of the text of objects, events and kept answers, as `WorldContents` counts it, without the journal. */
  readonly bytes: number;
  /** Automatic progressions of this rehearsal; absent while they are the default. */
  readonly progression?: Progression;
  readonly credentials: RehearsalCredentials;
}

export interface Directory {
  resolve(rehearsal: string): Promise<WorldView | undefined>;
  /** @returns undefined when the world is no longer the current one of its rehearsal */
  current(world: World): Promise<WorldView | undefined>;
}

/** Thrown when a request names a dropped world: its rehearsal was reset or deleted more than a minute ago. */
export class WorldGone extends Error {
  override readonly name = 'WorldGone';
}
