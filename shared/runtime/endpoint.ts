import type { Application } from '../catalog/applications.ts';
import { within } from '../process/waiting.ts';
import { type Endpoint, NotListening } from '../transport/endpoint.ts';
import type { Dispatch } from './dispatch.ts';

/** Calls that still run after this time are not waited for. */
const CLOSE_WITHIN_MS = 10_000;

/** The interface of an application for its own process. It gives the same answers as the HTTP interface. */
export function createEndpoint(application: Application, dispatch: Dispatch) {
  /** The running requests, by the function that aborts them. */
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
    /** Aborts every request, as the death of the process would. */
    kill(): void {
      listening = false;
      for (const breakOff of running.keys()) breakOff();
    },
  };
}
