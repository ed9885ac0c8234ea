import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type KubernetesObject, objectsIn } from '../support/kubernetes-objects.ts';

const files = fileURLToPath(new URL('../../k8s', import.meta.url));
const ownService = fileURLToPath(new URL('../../examples/own-service', import.meta.url));

/** Command that renders kustomizations: the value of KUBECTL, otherwise kubectl, otherwise kustomize. */
const renderers: readonly (readonly [command: string, ...words: string[]])[] = [
  ...(process.env['KUBECTL'] ? [[process.env['KUBECTL'], 'kustomize'] as const] : []),
  ['kubectl', 'kustomize'],
  ['kustomize', 'build'],
];

const renderer = renderers.find(([command]) => {
  try {
    execFileSync(command, command.endsWith('kustomize') ? ['version'] : ['version', '--client'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

export const whyNoKustomize =
  renderer === undefined ? 'there is neither kubectl nor kustomize on the PATH, and KUBECTL names none' : undefined;

/** The objects of the kustomization in a folder. */
export function rendered(folder: string): readonly KubernetesObject[] {
  const [command = '', ...words] = renderer ?? [];
  return objectsIn(execFileSync(command, [...words, folder], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** A copy of the files as a newcomer has them after the one step of the documentation, the secrets copied from their example. */
export function copyOfFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'kubernetes-files-'));
  cpSync(files, folder, { recursive: true, filter: (path) => !path.endsWith('secrets.env') });
  cpSync(ownService, join(folder, 'own-service'), { recursive: true });
  copyFileSync(join(folder, 'overlays/sandbox/secrets.env.example'), join(folder, 'overlays/sandbox/secrets.env'));
  const render = (path: string): readonly KubernetesObject[] => rendered(join(folder, path));
  /** Renders a kustomization in a new folder beside the overlays. */
  const renderNew = (kustomization: object): readonly KubernetesObject[] => {
    const name = mkdtempSync(join(folder, 'overlays/with-'));
    writeFileSync(join(name, 'kustomization.yaml'), JSON.stringify(kustomization));
    return render(name.slice(folder.length + 1));
  };
  return {
    render,
    renderNew,
    renderWith: (overlay: string, component: string): readonly KubernetesObject[] =>
      renderNew({ resources: [`../${overlay}`], components: [`../../components/${component}`] }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
