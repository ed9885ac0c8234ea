import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { CHART } from '../../helm/chart.ts';
import { aFolder } from '../support/folder.ts';
import { type KubernetesObject, objectsIn } from '../support/kubernetes-objects.ts';
import { runIn } from '../support/scratch-project.ts';

export const HELM = process.env['HELM'] ?? 'helm';
export const chart = fileURLToPath(new URL(`../../${CHART}`, import.meta.url));

/** A Helm that was built by `go install` assumes an old cluster. */
const VERSION = ['--kube-version', '1.34.0'];

export const whyNoHelm = ((): string | undefined => {
  try {
    execFileSync(HELM, ['version', '--short'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return `${HELM} cannot be run, and HELM names no other: go install helm.sh/helm/v3/cmd/helm@v3.22.0`;
  }
})();

/** Runs `helm template` with values. The result has the objects, or the message of Helm. */
export async function template(
  values: object,
  folder = chart,
): Promise<{ readonly objects: readonly KubernetesObject[]; readonly err: string }> {
  await using own = await aFolder();
  await own.write('values.json', values);
  const { code, out, err } = await runIn(own.path, HELM, ['template', 'estate', folder, '--values', 'values.json', ...VERSION]);
  return { objects: code === 0 ? objectsIn(out) : [], err };
}
