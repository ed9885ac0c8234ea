import { z } from 'zod';
import type { EstateEvent } from '../events/envelope.ts';
import { defineCollection } from '../store/collections.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** The newest version that an application has copied of each aggregate. It stands beside the application's own collections. */
const newestVersions = defineCollection({
  name: 'newest-versions',
  schema: z.object({ id: z.string(), version: z.int(), aggregateversion: z.int() }),
});

/**
 * Whether an event is not older than the newest one seen of its aggregate; then it is noted as the newest. Two events of one commit
 * have one version, and both count.
 */
export async function isNewest(work: UnitOfWork, { subject, aggregateversion }: EstateEvent): Promise<boolean> {
  const seen = await work.get(newestVersions, subject);
  if (seen && seen.aggregateversion > aggregateversion) return false;
  work.put(newestVersions, { id: subject, aggregateversion });
  return true;
}
