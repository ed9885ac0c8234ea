import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { aFolder } from '../support/folder.ts';
import type { KubernetesObject } from '../support/kubernetes-objects.ts';
import { runIn } from '../support/scratch-project.ts';

/** The module with the OpenAPI documents of the API server. `.ci/run` downloads it. */
const KUBERNETES = 'k8s.io/kubernetes@v1.34.4';

interface Schema {
  readonly 'x-kubernetes-group-version-kind'?: readonly { readonly group: string; readonly version: string; readonly kind: string }[];
}

/** Folder of the documents, or why kubeconform cannot run here. */
const found = ((): { readonly documents: string } | { readonly why: string } => {
  try {
    execFileSync('kubeconform', ['-v'], { stdio: 'ignore' });
  } catch {
    return { why: 'kubeconform is not on the PATH: go install github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0' };
  }
  try {
    const env = { ...process.env, GOPROXY: 'off' };
    const { Dir } = JSON.parse(execFileSync('go', ['mod', 'download', '-json', KUBERNETES], { encoding: 'utf8', env })) as { Dir: string };
    return { documents: join(Dir, 'api/openapi-spec/v3') };
  } catch {
    return { why: `the schemas of Kubernetes are missing: go mod download ${KUBERNETES}` };
  }
})();

export const whyNoKubeconform = 'why' in found ? found.why : undefined;

/** Kinds that others than Kubernetes define. */
const OTHERS = ['HTTPRoute', 'PodMonitor'];

/** Complaints of kubeconform about objects. The schemas are strict: they allow no member that they do not have. */
export async function kubeconformComplaints(objects: readonly KubernetesObject[]): Promise<readonly string[]> {
  await using folder = await aFolder();
  const known = objects.filter(({ kind }) => !OTHERS.includes(kind));
  for (const [name, schema] of schemasOf(known)) await folder.write(name, schema);
  const files = await Promise.all(known.map((object, place) => folder.write(`${place}.json`, object)));
  const template = folder.at('{{ .ResourceKind }}{{ .KindSuffix }}.json');
  const { out, err } = await runIn(folder.path, 'kubeconform', [
    '-strict',
    '-summary',
    '-output',
    'json',
    '-schema-location',
    template,
    ...files,
  ]);
  const { resources, summary } = JSON.parse(out || err) as {
    readonly resources: readonly { readonly kind: string; readonly name: string; readonly msg: string }[];
    readonly summary: Readonly<Record<string, number>>;
  };
  const checked = (summary['valid'] ?? 0) + resources.length;
  return [
    ...resources.map(({ kind, name, msg }) => `${kind} ${name}: ${msg}`),
    ...(checked === known.length ? [] : [`kubeconform checked ${checked} of ${known.length} objects`]),
  ];
}

/** The schemas of the kinds of objects, by the names of files that the template gives to them. */
function schemasOf(objects: readonly KubernetesObject[]): readonly (readonly [file: string, schema: object])[] {
  const kinds = Map.groupBy(objects, ({ apiVersion }) => apiVersion);
  return [...kinds].flatMap(([apiVersion, some]) => {
    const { components } = componentsOf(apiVersion);
    const names = new Set(some.map(({ kind }) => kind));
    return Object.entries(components.schemas).flatMap(([id, schema]) =>
      (schema['x-kubernetes-group-version-kind'] ?? [])
        .filter(({ kind }) => names.has(kind))
        .map(({ group, version, kind }) => {
          const words = [kind.toLowerCase(), group.split('.')[0], version].filter((word) => word !== '');
          const file = `${words.join('-')}.json`;
          return [file, { $ref: `#/components/schemas/${id}`, components }] as const;
        }),
    );
  });
}

function componentsOf(apiVersion: string): { readonly components: { readonly schemas: Readonly<Record<string, Schema>> } } {
  if ('why' in found) throw new Error(found.why);
  const file = apiVersion.includes('/') ? `apis__${apiVersion.replace('/', '__')}` : `api__${apiVersion}`;
  return JSON.parse(readFileSync(join(found.documents, `${file}_openapi.json`), 'utf8'), strict) as ReturnType<typeof componentsOf>;
}

/** Makes a mapping with declared members refuse all others. */
function strict(_name: string, value: unknown): unknown {
  const isMapping = typeof value === 'object' && value !== null && 'properties' in value && 'type' in value;
  return isMapping && !('additionalProperties' in value) && !('x-kubernetes-preserve-unknown-fields' in value)
    ? { ...value, additionalProperties: false }
    : value;
}
