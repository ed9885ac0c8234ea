import { eventually } from '../eventually.ts';
import type { OpenRehearsal } from '../open-rehearsal.ts';

/** Names of events, without their prefix. */
export const typesOf = (events: readonly { type: string }[]): string[] =>
  events.map(({ type }) => type.replace('com.unified-commerce.', ''));

/** The published events about an object, in order. */
export function eventSteps({ events, faults }: OpenRehearsal) {
  return {
    /** Waits until a fault has affected a call. */
    struck: (fault: string) =>
      eventually(`the fault ${fault}`, async () => (await faults()).some(({ name, hits }) => name === fault && hits > 0)),
    /** Names of an order's events, with the versions of the order that they carry. */
    orderEvents: async (id: string) => {
      const all = await events({ subject: `order/${id}`, ext: true });
      return all.map(({ type, aggregateversion }) => `${type.replace('com.unified-commerce.', '')} v${aggregateversion}`);
    },
    /** Names of a return's events, with the states before and after. */
    returnEvents: async (id: string) => {
      const all = await events({ subject: `return/${id}`, ext: true });
      return all.map(({ type, data }) => [type.replace('com.unified-commerce.', ''), data.previousState, data.object.state]);
    },
  };
}
