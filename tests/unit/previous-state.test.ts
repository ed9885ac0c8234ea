import { expect, test } from '@jest/globals';
import { allEvents } from '../../shared/catalog/events.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { changesOfEvent } from '../../shared/contract/drift/drift.ts';

test.each(allEvents.map((event) => [event.object, event.name, event] as const))(
  'The change previous-state of the %s in %s is offered only if one of its states precedes another',
  (type, _name, event) => {
    const rows = objects.find((object) => object.type === type)?.lifeCycle?.rows ?? [];
    const hasMove = rows.some(({ from, to }) => from.some((before) => before !== null && to.some((after) => after !== before)));
    expect(changesOfEvent(event).includes('previous-state')).toBe(hasMove);
  },
);
