import { createRequire } from 'node:module';

interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as { readonly prototype: RequestQueue };
const unguarded = prototype.scheduleCheckPendingRequests;

/**
 * kafkajs 2.2.4 uses a timer to send requests that it delayed because a broker throttles it. It rearms the timer even without delayed
 * requests: once a millisecond per connection, with a negative duration, and Node prints warnings. The guard arms it only for delayed
 * requests.
 */
prototype.scheduleCheckPendingRequests = function guarded(this: RequestQueue): void {
  if (this.pending.length > 0) unguarded.call(this);
};
