import { LRUCache } from 'lru-cache';

/** Most subjects that are kept in memory. */
const MOST_SUBJECTS = 200;

/** Reports the same subject at most once per period, so that a condition that lasts for hours does not fill a log. */
export class ReportLimit {
  readonly #reported: LRUCache<string, true>;

  constructor(periodMs: number) {
    this.#reported = new LRUCache({ max: MOST_SUBJECTS, ttl: periodMs });
  }

  /** Whether a subject is due to be reported. A true answer counts as a report. */
  isDue(subject: string): boolean {
    if (this.#reported.has(subject)) return false;
    this.#reported.set(subject, true);
    return true;
  }
}
