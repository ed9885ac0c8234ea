import type { Mutant } from './mutant.ts';

export const events: readonly Mutant[] = [
  {
    name: 'An event that is delivered twice is handled twice',
    file: 'shared/store/memory/commit.ts',
    from: '? world.pending.has(fence.key)',
    to: '? true',
    killedBy: ['tests/ports/memory-store.test.ts', 'tests/unit/unit-of-work.test.ts'],
  },
  {
    name: 'A refused commit leaves its events in the outbox',
    file: 'shared/store/memory/commit.ts',
    from: '  if (refused) {\n',
    to: '  if (refused) {\n    for (const { subscribers: _subscribers, ...entry } of plan.events) state.outbox.set(entry.id, entry);\n',
    killedBy: ['tests/ports/memory-store.test.ts'],
  },
  {
    name: 'A published event stays in the outbox and is published again',
    file: 'shared/store/memory/outbox.ts',
    from: "  for (const one of sent) forget(world, state, typeof one === 'string' ? one : one.id);\n",
    to: '',
    killedBy: ['tests/ports/memory-store.test.ts'],
  },
  {
    name: 'Two relays publish the outbox of one application at the same time',
    file: 'shared/store/memory/outbox.ts',
    from: '  if (state.relay && state.relay.token !== token && Date.now() < state.relay.until) return undefined;\n',
    to: '',
    killedBy: ['tests/ports/memory-store.test.ts'],
  },
  {
    name: 'A checkpoint does not clear its events, so the next commit publishes them again',
    file: 'shared/work/unit/commit.ts',
    from: '  expectedVersions.settle();\n  clearDrafts(unit);\n',
    to: '  expectedVersions.settle();\n',
    killedBy: ['tests/unit/unit-of-work.test.ts'],
  },
  {
    name: 'An event reports the new state as the previous one',
    file: 'shared/work/unit/unit.ts',
    from: 'for (const event of events) this.drafts.add(definition, event, object, current.state);',
    to: 'for (const event of events) this.drafts.add(definition, event, object, state);',
    killedBy: ['tests/unit/unit-of-work.test.ts'],
  },
  {
    name: 'A withheld event of an uploaded file has another id than its work',
    file: 'control/snapshots/check-file.ts',
    from: 'if (data.id !== key || data.json.id !== key)',
    to: 'if (data.id !== key)',
    killedBy: ['tests/control/snapshot-files.test.ts'],
  },
];
