import { readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';

/** A mapping of YAML. */
export type Mapping = { [member: string]: unknown };

export interface KubernetesObject extends Mapping {
  readonly kind: string;
  readonly metadata: { readonly name: string; labels?: Record<string, string> };
}

interface Kustomization {
  readonly resources?: readonly string[];
  readonly patches?: readonly { readonly path?: string; readonly target: { readonly kind: string; readonly labelSelector?: string } }[];
  readonly labels?: readonly { readonly pairs: Record<string, string>; readonly includeTemplates?: boolean }[];
  readonly configMapGenerator?: readonly {
    readonly name: string;
    readonly literals?: readonly string[];
    readonly files?: readonly string[];
  }[];
}

const textOf = (path: string): string => readFileSync(new URL(`../k8s/${path}`, import.meta.url), 'utf8');
const kustomizationOf = (folder: string): Kustomization => parse(textOf(`${folder}/kustomization.yaml`));

/**
 * The objects of a kustomization with its patches and labels, and its maps of files. Supports what the files of `k8s/` use;
 * tests/containers/helm.test.ts compares the result with kustomize.
 */
export function objectsOf(folder: string): readonly KubernetesObject[] {
  const { resources = [], patches = [], labels = [], configMapGenerator = [] } = kustomizationOf(folder);
  const objects = resources.flatMap((file) => parseAllDocuments(textOf(`${folder}/${file}`)).map((document) => document.toJS()));
  const maps = configMapGenerator.flatMap(({ name, files = [] }) => (files.length > 0 ? mapOf(folder, name, files) : []));
  return [...objects, ...maps].map((object: KubernetesObject) => {
    const chosen = patches.filter(({ path, target }) => path !== undefined && isTarget(object, target));
    const patched = chosen.reduce((whole, { path }) => merged(whole, withoutName(parse(textOf(`${folder}/${path}`)))), object);
    return labels.reduce(labelled, patched);
  });
}

/** The literals that kustomizations give to the map `estate`. */
export const settingsOf = (...folders: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    folders
      .flatMap((folder) => kustomizationOf(folder).configMapGenerator ?? [])
      .flatMap(({ literals = [] }) => literals.map((literal) => /^([^=]*)=(.*)$/.exec(literal)?.slice(1) as [string, string])),
  );

const mapOf = (folder: string, name: string, files: readonly string[]): Mapping => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: Object.fromEntries(files.map((file) => [file, textOf(`${folder}/${file}`)])),
});

/** The selectors of the patches have the form `label in (value, value)`. */
function isTarget({ kind, metadata }: KubernetesObject, target: { readonly kind: string; readonly labelSelector?: string }): boolean {
  const [, label = '', values = ''] = /^(\S+) in \((.*)\)$/.exec(target.labelSelector ?? '') ?? [];
  return kind === target.kind && (label === '' || values.split(', ').includes(metadata.labels?.[label] ?? ''));
}

const withoutName = ({ metadata: _placeholder, ...patch }: KubernetesObject): Mapping => patch;

const isMapping = (value: unknown): value is Mapping => typeof value === 'object' && value !== null && !Array.isArray(value);
const isNamed = (value: unknown): value is Mapping & { name: string } => isMapping(value) && typeof value['name'] === 'string';

/** Merges a patch as Kubernetes does: mappings by member, and lists of named members by name, with new members first. */
function merged<Whole extends Mapping>(whole: Whole, patch: Mapping): Whole {
  const members = Object.entries(patch).map(([name, value]) => [name, mergedValue(whole[name], value)] as const);
  return { ...whole, ...Object.fromEntries(members) };
}

function mergedValue(value: unknown, patch: unknown): unknown {
  if (isMapping(value) && isMapping(patch)) return merged(value, patch);
  if (!Array.isArray(value) || !Array.isArray(patch) || !value.every(isNamed) || !patch.every(isNamed)) return patch;
  const added = patch.filter(({ name }) => !value.some((member) => member.name === name));
  const kept = value.map((member) => merged(member, patch.find(({ name }) => name === member.name) ?? {}));
  return [...added, ...kept];
}

function labelled(object: KubernetesObject, { pairs, includeTemplates }: NonNullable<Kustomization['labels']>[number]): KubernetesObject {
  const withPairs = (value: unknown): Mapping => merged(isMapping(value) ? value : {}, { metadata: { labels: pairs } });
  const whole = merged(object, { metadata: { labels: { ...object.metadata.labels, ...pairs } } });
  const { spec } = object;
  if (includeTemplates !== true || !isMapping(spec)) return whole;
  const { template, volumeClaimTemplates } = spec;
  return merged(whole, {
    spec: {
      ...spec,
      ...(isMapping(template) && { template: withPairs(template) }),
      ...(Array.isArray(volumeClaimTemplates) && { volumeClaimTemplates: volumeClaimTemplates.map(withPairs) }),
    },
  });
}
