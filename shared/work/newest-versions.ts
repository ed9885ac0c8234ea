import { z } from 'zod';
import type { EstateEvent } from '../events/envelope.ts';
import { defineCollection } from '../store/collections.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** The newest version of each aggregate that an application has copied. Every application has this collection besides its own. */
const newestVersions = defineCollection({
  name: 'newest-versions',
  schema: z.object({ id: z.string(), version: z.int(), aggregateversion: z.int() }),
});

/**
 * Tells whether an event is at least as new as the newest known one of its aggregate, and if so notes its version. Two events of one
 * commit have the same version, and both count.
 */
export async function isNewest(work: UnitOfWork, { subject, aggregateversion }: EstateEvent): Promise<boolean> {
  const seen = await work.get(newestVersions, subject);
  if (seen && seen.aggregateversion > aggregateversion) return false;
  work.put(newestVersions, { id: subject, aggregateversion });
  return true;
}
