import * as declared from '../../shared/catalog/control/operations/snapshots.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import { REHEARSAL_NAME_RULE } from '../../shared/domain/ids.ts';
import { instant, type Ms } from '../../shared/domain/time.ts';
import { type BookedWorld, bookedSnapshot, bookedWorld } from '../books/books.ts';
import { type CallParts, operate, operateOnFile, operateOnRehearsals } from '../operate.ts';
import { requireCurrent } from '../rehearsals/current.ts';

export const saveSnapshot = operate(declared.saveSnapshot)(async ({ params: { name }, body }, { view, rehearsals, snapshots, gone }) => {
  const { error } = declared.SnapshotName.safeParse(name);
  if (error) throw invalid('{name}', 'invalid_name', REHEARSAL_NAME_RULE);
  return snapshots.save(body.rehearsal === undefined ? view : await rehearsals.find(body.rehearsal), name, {
    gone,
    withinMs: body.timeoutMs,
    journal: body.journal,
  });
});

export const listSnapshots = operateOnRehearsals(declared.listSnapshots)(async (_input, { snapshots }) => ({
  items: await snapshots.list(),
}));

export const readSnapshot = operateOnRehearsals(declared.readSnapshot)(({ params }, { snapshots }) => snapshots.read(params.name));

export const exportRehearsal = operateOnRehearsals(declared.exportRehearsal)(async ({ params }, { rehearsals, snapshots, gone }) =>
  snapshots.exported(await rehearsals.find(params.name), gone),
);

export const uploadSnapshot = operateOnFile(declared.uploadSnapshot)(({ query, file }, { snapshots, gone }) =>
  snapshots.upload(
    {
      bytes: file,
      name: query.name,
      dryRun: query.dryRun === 'true',
      reseal: query.reseal === 'true',
      unverified: query.unverified === 'true',
    },
    gone,
  ),
);

export const deleteSnapshot = operateOnRehearsals(declared.deleteSnapshot)(async ({ params }, { snapshots }) => {
  await snapshots.remove(params.name);
  return null;
});

export const compareWorlds = operateOnRehearsals(declared.compareWorlds)(async ({ query }, parts) => {
  const from = await worldNamed(query.from, parts);
  const to = await worldNamed(query.to, parts);
  return { from: from.shown, to: to.shown, ...(await parts.snapshots.compared(from.data, to.data, parts)) };
});

interface Compared {
  readonly shown: { readonly world: string; readonly now: string };
  readonly data: BookedWorld;
}

/** @param text `snapshot:NAME`, `rehearsal:NAME`, or a name: then a snapshot comes before a rehearsal @throws Problem not_found */
async function worldNamed(
  text: string,
  { snapshots, worlds, inSlices, gone }: Pick<CallParts, 'snapshots' | 'worlds' | 'inSlices' | 'gone'>,
): Promise<Compared> {
  const [, kind, name = ''] = /^(?:(snapshot|rehearsal):)?(.*)$/s.exec(text) ?? [];
  const compared = (shownKind: string, now: Ms, data: Compared['data']): Compared => ({
    shown: { world: `${shownKind}:${name}`, now: instant(now) },
    data,
  });
  const isSnapshot = kind !== 'rehearsal' && (await worlds.snapshots()).has(name);
  if (isSnapshot) {
    const world = await snapshots.open(name, gone);
    return compared('snapshot', world.now, bookedSnapshot(world));
  }
  const view = kind === 'snapshot' ? undefined : await worlds.resolve(name);
  if (!view) {
    const where = kind === undefined ? 'neither a snapshot nor a rehearsal' : `no ${kind}`;
    throw new Problem('not_found', `There is ${where} "${name}". GET /_control/snapshots and GET /_control/rehearsals list them.`, {
      objectType: kind ?? 'snapshot',
      id: name,
    });
  }
  const data = await inSlices(gone, (breathe) => bookedWorld(worlds, view.world, breathe));
  await requireCurrent(worlds, view.world);
  return compared('rehearsal', view.now, data);
}
