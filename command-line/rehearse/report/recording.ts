import type { z } from 'zod';
import type { RunOptions } from '../../../rehearsal/runner.ts';
import type { StepRecord } from '../../../rehearsal/scenario.ts';
import type { NoteKind, Report } from '../../../rehearsal/stage.ts';
import type { ListedEvent } from '../../../shared/catalog/control/operations/events.ts';
import type { ListedHop as Hop } from '../../../ui/data/hop.ts';
import { type Entry, MOST, type Recorded, type RecordedEvent } from '../../../ui/report/recorded.ts';
import type { ChosenScenario } from '../choice.ts';
import { writeWorld } from './failing-world.ts';

/** Records a scenario for the reports. @param folder gets the world of a failed scenario as a file. Absent: no file is written */
export function recordingOf(chosen: ChosenScenario, folder: string | undefined) {
  const { scenario, file } = chosen;
  const startedAt = Date.now();
  const entries: Entry[] = [];
  const found: { hops: Hop[]; events: RecordedEvent[] } = { hops: [], events: [] };
  const omitted = { entries: 0, hops: 0, events: 0, journal: false };
  let rehearsal: string | undefined;
  let invariants: Recorded['invariants'] = [];
  let lastStep: StepRecord | undefined;
  let world: Recorded['world'];
  let since = startedAt;

  function enter(entry: { readonly step: StepRecord } | { readonly note: string; readonly kind: NoteKind }): void {
    const until = Date.now();
    if (entries.length < MOST.entries) entries.push({ since, until, ...entry });
    else omitted.entries += 1;
    since = until;
  }

  const report: Partial<Report> = {
    begin: (_scenario, name) => {
      rehearsal = name;
      since = Date.now();
    },
    step: (step) => {
      lastStep = step;
      enter({ step });
    },
    note: (note, kind) => enter({ note, kind }),
    invariants: (results) => {
      invariants = results;
    },
  };

  /** Reads the journal and the events before the rehearsal is deleted. */
  const examine: RunOptions['examine'] = async ({ client, name, failure }) => {
    if (failure !== undefined && folder !== undefined)
      world = await writeWorld(folder, chosen, { client, name, problem: failure, lastStep });
    const journal = await client.control('read-journal', { query: { limit: 5_000, bodies: 'false' } });
    const { items } = await client.control('list-events', { query: { limit: 1_000, ext: 'true' } });
    found.hops = journal.items.slice(0, MOST.hops).map(({ request: _request, response: _response, ...hop }) => hop);
    found.events = items.slice(0, MOST.events).map(withoutData);
    Object.assign(omitted, {
      hops: journal.items.length - found.hops.length,
      events: items.length - found.events.length,
      journal: journal.truncated || journal.items.length === 5_000,
    });
  };

  const ended = (failure: string | undefined, ms: number): Recorded => {
    return { scenario, file, rehearsal, startedAt, entries, ...found, omitted, invariants, failure, world, ms };
  };
  return { report, examine, ended };
}

function withoutData({ event }: z.output<typeof ListedEvent>): RecordedEvent {
  const member = (name: string): string => String(event[name] ?? '');
  return {
    id: member('id'),
    type: member('type'),
    subject: member('subject'),
    time: member('time'),
    source: member('source').replace(/^.*:/, ''),
    cause: member('causationid'),
  };
}
