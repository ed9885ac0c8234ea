import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { apis } from '../../shared/catalog/apis.ts';
import { applicationNames } from '../../shared/catalog/applications.ts';
import { calls } from '../../shared/catalog/flows.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { expectKept } from '../support/kept-list.ts';
import { type KubernetesObject, objectsIn, type Peer, schemaComplaints, selects } from '../support/kubernetes-objects.ts';
import { textOf, trackedFiles } from '../support/tracked-files.ts';

interface Kustomization {
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly patches?: readonly { readonly path?: string }[];
  readonly configMapGenerator?: readonly { readonly files?: readonly string[] }[];
}

const folderOf = (file: string): string => file.replace(/\/[^/]+$/, '');
const inFolder = (folder: string, path: string): string => new URL(path, `file:///${folder}/`).pathname.slice(1).replace(/\/$/, '');

const files = trackedFiles.filter((file) => file.startsWith('k8s/'));
const kustomizations = files
  .filter((file) => file.endsWith('/kustomization.yaml'))
  .map((file) => ({ folder: folderOf(file), ...(parse(textOf(file)) as Kustomization) }));

/** The references of a kustomization: files with objects, patches, and other kustomizations. */
const led = (of: (kustomization: Kustomization) => readonly string[]): string[] =>
  kustomizations.flatMap((kustomization) => of(kustomization).map((path) => inFolder(kustomization.folder, path)));
const resources = led(({ resources = [] }) => resources);
const patches = led(({ patches = [] }) => patches.flatMap(({ path }) => path ?? []));
const content = led(({ configMapGenerator = [] }) => configMapGenerator.flatMap(({ files = [] }) => files));
const components = led(({ components = [] }) => components);

const objects = [...new Set(resources)].filter((path) => path.endsWith('.yaml')).flatMap((file) => objectsIn(textOf(file)));
const ofKind = (kind: string): readonly KubernetesObject[] => objects.filter((object) => object.kind === kind);
const pods = [...ofKind('Deployment'), ...ofKind('StatefulSet')].map(({ metadata, spec }) => ({
  name: metadata.name,
  labels: spec?.template?.metadata.labels ?? {},
  ports: spec?.template?.spec.containers.flatMap(({ ports = [] }) => ports.map(({ containerPort }) => containerPort)) ?? [],
}));

const nameOf = ({ metadata }: KubernetesObject): string => metadata.name;
const ours = [...applicationNames, 'gateway', 'touchpoint-mock'].toSorted();
const everything = [...ours, 'kafka', 'redis'].toSorted();

test('The Kubernetes files are all referenced by a kustomization, and all references exist', () => {
  const yaml = files.filter((file) => file.endsWith('.yaml') && !file.endsWith('/kustomization.yaml'));
  const paths = [...new Set([...resources, ...patches, ...content, ...components])];
  expectKept(
    'k8s, the kustomization.yaml of the folder, and its files',
    paths.filter((path) => path.endsWith('.yaml')),
    yaml,
  );
  const folders = kustomizations.map(({ folder }) => folder);
  expect(paths.filter((path) => !path.endsWith('.yaml') && !folders.includes(path))).toEqual([]);
});

test('The Kubernetes files contain only objects that match their schema, without unknown members', async () => {
  expect(objects.length).toBeGreaterThan(60);
  expect((await Promise.all(objects.map(schemaComplaints))).flat()).toEqual([]);
});

test('The Kubernetes files are checked against schemas that detect missing, wrong and misspelt members', async () => {
  const [deployment] = ofKind('Deployment');
  const complaints = async (change: object): Promise<number> =>
    deployment === undefined ? 0 : (await schemaComplaints({ ...deployment, ...change } as KubernetesObject)).length;
  expect(await complaints({})).toBe(0);
  expect(await complaints({ kind: 'Deploiment' })).toBe(1);
  expect(await complaints({ replicas: 3 })).toBe(1);
  expect(await complaints({ spec: { ...deployment?.spec, replicas: 'three' } })).toBeGreaterThan(0);
  expect(await complaints({ spec: { template: deployment?.spec?.template } })).toBeGreaterThan(0);
  expect(await complaints({ spec: { ...deployment?.spec, minReadySecond: 3 } })).toBe(1);
});

test('The examples of Kubernetes files match their schema', async () => {
  const shown = [...textOf('docs/how-to/kubernetes.md').matchAll(/<<'POLICY'\n([\s\S]*?)\nPOLICY/g)].flatMap(([, yaml = '']) =>
    objectsIn(yaml),
  );
  expect(shown.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(['NetworkPolicy metrics']);
  const adapter = objectsIn(textOf('examples/payment-hub-adapter/kubernetes.yaml'));
  expect((await Promise.all([...shown, ...adapter].map(schemaComplaints))).flat()).toEqual([]);
});

test('The Kubernetes files exist under the names that the documentation uses', () => {
  const named = [...textOf('docs/how-to/kubernetes.md').matchAll(/k8s\/[a-z-]+(?:\/[a-z-]+)*|`components\/[a-z-]+`/g)].map(([path]) =>
    path.replace(/^`components\/(.*)`$/, 'k8s/components/$1'),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !files.some((file) => file.startsWith(path)))).toEqual([]);
  const folders = kustomizations.map(({ folder }) => folder);
  expect(folders.filter((folder) => !named.includes(folder))).toEqual([]);
});

test('The Kubernetes files contain no secret', () => {
  expect(files.filter((file) => file.endsWith('.env'))).toEqual([]);
  expect(ofKind('Secret')).toEqual([]);
});

test('The Kubernetes files start every application, the gateway and the touchpoint mock, each under its own name', () => {
  const deployments = ofKind('Deployment');
  expectKept('k8s/base, a file for each Deployment', deployments.map(nameOf), ours);
  for (const { metadata, spec } of deployments) {
    const [container, ...more] = spec?.template?.spec.containers ?? [];
    expect(more).toEqual([]);
    expect(container).toMatchObject({ name: 'app', env: expect.arrayContaining([{ name: 'SERVICE', value: metadata.name }]) });
  }
});

test('The Kubernetes files give every application, Redis and Kafka a service of its name that leads to its pods only', () => {
  const services = ofKind('Service');
  const isGoverning = ({ spec }: (typeof services)[number]): boolean => spec?.clusterIP === 'None';
  expectKept('k8s/base, the Service in the file of each application', services.filter((one) => !isGoverning(one)).map(nameOf), everything);
  expect(services.filter(isGoverning).map(nameOf).toSorted()).toEqual(['kafka-pods', 'redis-pods']);
  for (const { metadata, spec } of services) {
    const chosen = pods.filter(({ labels }) => selects({ matchLabels: spec?.selector as Record<string, string> }, labels));
    expect(chosen.map(({ name }) => name)).toEqual([metadata.name.replace(/-pods$/, '')]);
    expect(chosen[0]?.ports).toEqual(spec?.ports?.map(({ port }) => port));
  }
});

test('The Kubernetes files give every pod a disruption budget', () => {
  const budgets = ofKind('PodDisruptionBudget');
  expectKept('k8s/components/disruption-budgets/disruption-budgets.yaml', budgets.map(nameOf), everything);
  for (const { metadata, spec } of budgets) {
    expect(pods.filter(({ labels }) => selects(spec?.selector ?? {}, labels)).map(({ name }) => name)).toEqual([metadata.name]);
  }
});

test('The Kubernetes files scale only existing deployments', () => {
  const targets = ofKind('HorizontalPodAutoscaler').map(({ spec }) => spec?.scaleTargetRef?.name ?? '');
  expect(targets.length).toBeGreaterThan(3);
  expect(targets.filter((target) => !ours.includes(target))).toEqual([]);
});

const policies = ofKind('NetworkPolicy');
type Pod = (typeof pods)[number];

const meets = (peers: readonly Peer[] | undefined, { labels }: Pod): boolean =>
  peers === undefined ||
  peers.some(
    ({ podSelector, namespaceSelector }) => namespaceSelector === undefined && podSelector !== undefined && selects(podSelector, labels),
  );

/** Decides like a cluster: once a policy selects a pod for a direction, only connections allowed by some policy pass. */
function passes({ direction, of, other, port }: { direction: 'Ingress' | 'Egress'; of: Pod; other: Pod; port: number }): boolean {
  const selecting = policies.filter(
    ({ spec }) => spec?.policyTypes?.includes(direction) && spec.podSelector !== undefined && selects(spec.podSelector, of.labels),
  );
  if (selecting.length === 0) return true;
  const rules = selecting.flatMap(({ spec }) => (direction === 'Ingress' ? spec?.ingress : spec?.egress) ?? []);
  return rules.some(
    ({ from, to, ports }) =>
      meets(direction === 'Ingress' ? from : to, other) && (ports === undefined || ports.some((allowed) => allowed.port === port)),
  );
}

const connections = pods.flatMap((from) =>
  pods.flatMap((to) =>
    to.ports.flatMap((port) =>
      from !== to &&
      passes({ direction: 'Egress', of: from, other: to, port }) &&
      passes({ direction: 'Ingress', of: to, other: from, port })
        ? [`${from.name} → ${to.name}:${port}`]
        : [],
    ),
  ),
);

test('The network policies allow exactly the calls of the catalog, calls of the gateway, webhooks, and the store and the bus', () => {
  const participants = [...applicationNames, 'gateway'];
  const byId = new Map([...Object.values(apis), ...Object.values(internalCalls)].map((api) => [api.id as string, api]));
  const expected = [
    ...participants.flatMap((from) => [`${from} → redis:6379`, `${from} → kafka:9092`]),
    ...applicationNames.map((to) => `gateway → ${to}:8080`),
    ...applicationNames.flatMap((from) =>
      calls[from].map((id) => `${from} → ${id === 'carrier-webhook' ? 'gateway' : byId.get(id)?.application}:8080`),
    ),
  ];
  expect(connections.toSorted()).toEqual([...new Set(expected)].toSorted());
});

test('The network policies admit external clients only at the gateway and at the touchpoint mock', () => {
  const stranger: Pod = { name: 'stranger', labels: {}, ports: [] };
  const open = pods.flatMap((pod) =>
    pod.ports.filter((port) => passes({ direction: 'Ingress', of: pod, other: stranger, port })).map((port) => `${pod.name}:${port}`),
  );
  expect(open.toSorted()).toEqual(['gateway:8080', 'touchpoint-mock:15115', 'touchpoint-mock:15116']);
});

test('The network policies allow every pod DNS look-ups, and two components one application more outside the namespace', () => {
  const outside = policies.flatMap(({ metadata, spec }) =>
    (spec?.egress ?? [])
      .filter(({ to }) => to === undefined || to.some(({ namespaceSelector }) => namespaceSelector))
      .map(({ ports }) => ({ name: metadata.name, of: spec?.podSelector, ports: ports?.map(({ port }) => port) })),
  );
  const pods = (name: string) => ({ matchLabels: { 'app.kubernetes.io/name': name } });
  expect(outside.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual([
    { name: 'dns', of: {}, ports: [53, 53] },
    { name: 'real-system', of: pods('payment-hub'), ports: undefined },
    { name: 'receivers', of: pods('gateway'), ports: undefined },
  ]);
});
