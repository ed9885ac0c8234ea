import { describe } from '@jest/globals';
import { type CreateStore, type Opened, openStore } from './open-store.ts';
import { awaitingSuite } from './store-suite-awaiting.ts';
import { claimSuite } from './store-suite-claims.ts';
import { clockSuite } from './store-suite-clock.ts';
import { copySuite } from './store-suite-copies.ts';
import { dueWorkSuite } from './store-suite-due-work.ts';
import { fullJournalSuite } from './store-suite-full-journal.ts';
import { journalSuite } from './store-suite-journal.ts';
import { lifetimeSuite } from './store-suite-lifetimes.ts';
import { logSuite } from './store-suite-logs.ts';
import { objectSuite } from './store-suite-objects.ts';
import { outboxSuite } from './store-suite-outbox.ts';
import { runSuite } from './store-suite-runs.ts';
import { watcherSuite } from './store-suite-watchers.ts';
import { worldSuite } from './store-suite-worlds.ts';

export type { CreateStore } from './open-store.ts';

/** Conformance suite of the store. It runs unchanged against every adapter. */
export function storeSuite(name: string, create: CreateStore): void {
  const opened: Opened = (from, limits) => openStore(create, from, limits);

  describe(`store: ${name}`, () => {
    objectSuite(opened);
    claimSuite(opened);
    outboxSuite(opened);
    dueWorkSuite(opened);
    watcherSuite(opened);
    worldSuite(opened);
    clockSuite(opened);
    logSuite(opened);
    lifetimeSuite(opened);
    journalSuite(opened);
    fullJournalSuite(opened);
    awaitingSuite(opened);
    runSuite(opened);
    copySuite(opened);
  });
}
