import { readRehearsal as operation } from '../../shared/catalog/control/operations/rehearsals.ts';
import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { instant } from '../../shared/domain/time.ts';
import { operateOnRehearsals } from '../operate.ts';
import { countContents } from '../rehearsals/counts.ts';
import { describeLifetime } from '../rehearsals/describe.ts';
import { unknownRehearsal } from '../rehearsals/rehearsals.ts';

/** Reading does not count as use: a console that shows a rehearsal does not keep it alive. */
export const readRehearsal = operateOnRehearsals(operation)(async ({ params: { name } }, parts) => {
  const { rehearsals, worlds } = parts;
  const view = await rehearsals.find(name);
  const record = await worlds.record(name);
  if (!record?.current) throw unknownRehearsal(name);
  const { createdAt, contents } = record.current;
  return {
    name,
    world: view.world,
    createdAt,
    now: instant(view.now),
    ...describeLifetime(record),
    flowing: view.flowing,
    progression: progressionOf(view),
    counts: await countContents(parts, view.world, contents.events),
  };
});
