import type { Owner } from '../../catalog/applications.ts';
import { Problem } from '../../catalog/problems.ts';
import { DEFAULT_REHEARSAL } from '../../domain/ids.ts';
import type { World } from '../../domain/world.ts';
import type { WorldData } from './world-data.ts';

/**
 * Version of the formats of a world: its stored records, and its file. A change that another release would misread needs a new version.
 * Worlds of the releases before versions have none.
 */
export const FORMATS = 1;

/** The current world of a rehearsal, with other formats than this estate uses. */
export interface ForeignWorld {
  readonly rehearsal: string;
  readonly world: World;
  /** Undefined: the release that wrote it had no versions. */
  readonly formats: number | undefined;
  /** Whether an application or the control plane has changed the world since it was seeded. */
  readonly used: boolean;
  /** Changes with each commit in the world. */
  readonly stamp: string;
  /** Why this estate refused it. Undefined: the world has not been examined yet. */
  readonly refused?: string;
}

/** The parts of a world that its adoption replaces, so that the world has the formats of this estate. */
export interface Conversion {
  readonly changes: readonly ConversionChange[];
  /** Undefined: it stays. */
  readonly seed: WorldData | undefined;
}

/** `name`: of the collection, or of its unique value or index. */
export type ConversionChange = { readonly application: Owner; readonly name: string; readonly id: string } & (
  | { readonly of: 'object'; readonly version: number; readonly order: number; readonly json: string }
  | { readonly of: 'unique'; readonly value: string; readonly isAdded: boolean }
  | { readonly of: 'index'; readonly value: string; readonly order: number; readonly isAdded: boolean }
);

/** Worlds that another release wrote. In memory there are none. */
export interface FormatsStore {
  foreign(): Promise<readonly ForeignWorld[]>;
  /** @returns undefined when the rehearsal does not exist, or its world has the formats of this estate */
  foreignOf(rehearsal: string): Promise<ForeignWorld | undefined>;
  /**
   * Converts a world, and gives it the version of this estate, in one step: a process that dies leaves the old world or the new one. Its
   * events and due work continue. @returns false when the world has changed since it was read
   */
  adopt(world: ForeignWorld, conversion: Conversion): Promise<boolean>;
  /** Notes beside the world why this estate cannot use it. The world stays as it is. */
  refuse(world: ForeignWorld, reason: string): Promise<void>;
}

/** Why a world cannot be used without an examination. Undefined: it may fit. */
export function reasonAgainst({ formats }: Pick<ForeignWorld, 'formats'>): string | undefined {
  if (formats === undefined) return undefined;
  if (!Number.isSafeInteger(formats) || formats < 1) return 'This release does not know this version.';
  return formats > FORMATS ? 'A newer release wrote it.' : undefined;
}

/** A sentence for people: what is wrong, and the remedy. */
export function incompatible({ rehearsal, formats, refused }: Pick<ForeignWorld, 'rehearsal' | 'formats' | 'refused'>): string {
  const version = formats === undefined || !Number.isFinite(formats) ? 'no known version' : `version ${formats}`;
  const then = rehearsal === DEFAULT_REHEARSAL ? ' It is then seeded anew.' : '';
  return `The world of the rehearsal "${rehearsal}" has formats of ${version}, and this estate uses version ${FORMATS}. ${refused ?? 'It is being examined.'} Delete the rehearsal with DELETE /_control/rehearsals/${rehearsal}, or run the release that wrote the world.${then}`;
}

/** The refusal of a request in such a world: final, or until the world has been examined. */
export function incompatibleWorld(foreign: ForeignWorld): Problem {
  const { rehearsal, formats } = foreign;
  if (foreign.refused !== undefined)
    return new Problem('incompatible_world', incompatible(foreign), { rehearsal, formats, reads: FORMATS });
  const detail = `Another release wrote the world of the rehearsal "${rehearsal}". It is being examined: repeat the request.`;
  return new Problem('dependency_unavailable', detail, { dependency: 'store', rehearsal, retryAfter: 1 });
}
