import type { ControlOperation } from '../../shared/catalog/control/define-operation.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import type { ObjectDefinition } from '../../shared/catalog/define-object.ts';
import { extensionEvent } from '../../shared/catalog/event-names.ts';

const operations: readonly ControlOperation[] = Object.values(controlOperations);

/** A life cycle with one move per state before and after. Natural repeats are left out. */
export function describeLifeCycle({ type, lifeCycle }: ObjectDefinition) {
  if (!lifeCycle) return [];
  const moves = lifeCycle.rows
    .filter(({ again }) => !again)
    .flatMap(({ verb, from, to, events, trigger }) => {
      const control = operations.find(({ plays }) => plays?.object === type && plays.verbs.includes(verb))?.id;
      const move = { verb, events: events.length > 0 ? [...events] : [extensionEvent(type)], trigger };
      return from.flatMap((before) =>
        statesAfter(before, to).map((after) => ({ ...move, from: before, to: after, control: before === null ? undefined : control })),
      );
    });
  return [{ type, states: [...lifeCycle.states], moves }];
}

/** A row without states after it keeps the state. */
const statesAfter = (before: string | null, to: readonly string[]): readonly string[] => (to.length > 0 || before === null ? to : [before]);
