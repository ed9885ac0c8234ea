import type { Application } from '../catalog/applications.ts';
import { within } from '../process/waiting.ts';
import { type Endpoint, NotListening } from '../transport/endpoint.ts';
import type { Dispatch } from './dispatch.ts';

/** Calls that still run after this time are not waited for. */
const CLOSE_WITHIN_MS = 10_000;

/** The face of an application towards its own process. It answers what its HTTP face would answer. */
export function createEndpoint(application: Application, dispatch: Dispatch) {
  /** By the function that breaks a request off. */
  const running = new Map<() => void, Promise<unknown>>();
  let listening = false;

  const take: Endpoint = (request) =>
    new Promise((resolve, reject) => {
      if (!listening) throw new NotListening(`${application} does not listen.`);
      let isBroken = false;
      const breakOff = (): void => {
        isBroken = true;
        resolve(undefined);
      };
      const hasLeft = (): boolean => isBroken || request.hasLeft();
      const answering = dispatch({ ...request, hasLeft }).finally(() => running.delete(breakOff));
      running.set(breakOff, answering);
      answering.then(resolve, reject);
    });

  return {
    take,
    listen(): void {
      listening = true;
    },
    /** Refuses requests from now on, and waits for those that run. */
    async close(): Promise<void> {
      listening = false;
      await within(CLOSE_WITHIN_MS, Promise.allSettled(running.values()));
    },
    /** Breaks every request off, as the death of a process does. */
    kill(): void {
      listening = false;
      for (const breakOff of running.keys()) breakOff();
    },
  };
}
