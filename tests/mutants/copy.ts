import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { trackedFiles } from '../support/tracked-files.ts';
import { type Mutant, refuseText } from './mutant.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Copy extends Disposable {
  readonly folder: string;
  /** Changes one file until the returned value is disposed of. @throws Error when the mutant does not apply */
  apply(mutant: Mutant): Disposable;
}

/** Copies the files of the working tree, changes that are not committed included. Ignored files are left out. */
export function copyOfProject(): Copy {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mutants-')));
  for (const file of trackedFiles) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return {
    folder,
    apply(mutant) {
      const path = join(folder, mutant.file);
      const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
      const refusal = refuseText(mutant, before);
      if (before === undefined || refusal !== undefined) throw new Error(refusal);
      writeFileSync(
        path,
        before.replace(mutant.from, () => mutant.to),
      );
      return { [Symbol.dispose]: () => writeFileSync(path, before) };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  };
}
