import { act, busy, control, isBusy } from '../data/data.ts';
import { download } from '../data/download.ts';
import { Card } from '../kit/kit.ts';

/** Downloads the world with its journal as one file. */
export function WorldCard({ name }: { name: string }) {
  const save = (): Promise<void> =>
    act('export', async () => {
      const [snapshot, { ENDING, packed }] = await Promise.all([
        control('export-rehearsal', { params: { name } }),
        import('../../shared/domain/estate-file.ts'),
      ]);
      const file = `${name}${ENDING}`;
      download(file, new Blob([packed({ snapshot })], { type: 'application/zip' }));
      return `${file} was downloaded.`;
    });
  return (
    <Card
      title="World as a file"
      aside={
        <button type="button" aria-disabled={isBusy()} onClick={() => void save()}>
          {busy.value === 'export' ? 'Downloading…' : 'Download'}
        </button>
      }
    >
      <p class="in muted">
        The file has the world and its journal, without credentials. <code>estate open</code> continues it on another machine.
      </p>
    </Card>
  );
}
