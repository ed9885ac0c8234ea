import type { RequestListener } from 'node:http';
import { AUTHORIZATION_TWICE, HOST_TWICE, sendUnread } from './answers.ts';

/** Headers that a request may have only once: Node.js keeps the first and drops the others, which another parser may prefer. */
const TWICE = { authorization: AUTHORIZATION_TWICE, host: HOST_TWICE } as const;

/** Refuses a request that has one of these headers twice, before the listener receives it. */
export const withSingleHeaders =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    const name = doubled(request.rawHeaders);
    if (name === undefined) listener(request, response);
    else sendUnread({ request, response, answer: TWICE[name] });
  };

/** @param rawHeaders names and values alternate */
function doubled(rawHeaders: readonly string[]): keyof typeof TWICE | undefined {
  let [authorization, host] = [0, 0];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 'authorization'.length && name.toLowerCase() === 'authorization') authorization += 1;
    else if (name.length === 'host'.length && name.toLowerCase() === 'host') host += 1;
  }
  if (authorization > 1) return 'authorization';
  return host > 1 ? 'host' : undefined;
}
