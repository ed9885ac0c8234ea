import type { ComponentType } from 'preact';
import type { IconName } from './icon.tsx';

/** The properties of a page: the parts of its address. */
export interface PageProps {
  /** Empty on pages of the whole estate. */
  readonly rehearsal: string;
  /** Decoded segments of the address after the page's own path. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

export interface Page {
  /** First segment of the address after the rehearsal, or after `/console`. Empty: the overview. */
  readonly path: string;
  /** Whether it shows one rehearsal or the whole estate. */
  readonly scope: 'rehearsal' | 'estate';
  readonly title: string;
  readonly icon: IconName;
  /** Opens the page after `g`. */
  readonly key?: string;
  /** In the bar at the bottom of a narrow window; the others are under More. */
  readonly bottom?: true;
  /** Not in the navigation: reached from another page, which is marked instead. */
  readonly under?: string;
  /** How many segments may follow its path. */
  readonly deepest: number;
  readonly load: () => Promise<ComponentType<PageProps>>;
}
