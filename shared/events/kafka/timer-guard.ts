import { createRequire } from 'node:module';

interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as { readonly prototype: RequestQueue };
const unguarded = prototype.scheduleCheckPendingRequests;

/**
 * kafkajs 2.2.4 looks for requests that it held back because a broker throttles it, with a timer that it arms again and again also when
 * none is held back: once a millisecond per connection, with a negative duration, of which Node warns. Only who has something to look
 * for needs the timer.
 */
prototype.scheduleCheckPendingRequests = function guarded(this: RequestQueue): void {
  if (this.pending.length > 0) unguarded.call(this);
};
