import { exchange } from './exchange.js';
import { onTheWire } from './request.js';

/** Sends requests and keeps each exchange in the history: its request, its time and duration, its answer or why there is none. */
export function createSender({ portal, history }) {
  return async (request, signal) => {
    const at = Date.now();
    const began = performance.now();
    const outcome = await exchange({ ...onTheWire({ portal, request }), signal });
    const sent = { request, at, durationMs: Math.round(performance.now() - began), ...outcome };
    if (outcome.failure !== 'not-sendable') history.add(sent);
    return sent;
  };
}
