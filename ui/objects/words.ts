import { applicationTitle, live, type Output } from '../data/data.ts';
import { whyAway } from '../kit/format.ts';

/** The type of an object as words: `Fulfillment order`. */
export const oneOf = (type: string): string => type.charAt(0).toUpperCase() + type.slice(1).replaceAll('-', ' ');

/** `Fulfillment orders` */
export const manyOf = (type: string): string => `${oneOf(type)}s`;

/** Why an application cannot act now. */
export function whyNot(applications: Output<'read-topology'>['applications'], id: string): string | undefined {
  const found = applications.find((one) => one.id === id);
  if (found?.state === 'away') return `The ${applicationTitle(id)} ${whyAway(found.waitingFor)}.`;
  return live.value.kind === 'reconnecting' ? 'The connection to the estate is broken.' : undefined;
}
