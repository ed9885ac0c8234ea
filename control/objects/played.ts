import type { ControlOperation } from '../../shared/catalog/control/define-operation.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';

const operations: readonly ControlOperation[] = Object.values(controlOperations);

/** Id of the operation that plays the outside world: it makes objects of a type take a verb. */
export const playedBy = (type: string, verb: string): string | undefined =>
  operations.find(({ plays }) => plays?.object === type && plays.verbs.includes(verb))?.id;
