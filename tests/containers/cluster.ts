import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { aFolder } from '../support/folder.ts';
import type { KubernetesObject } from '../support/kubernetes-objects.ts';
import { runIn } from '../support/scratch-project.ts';
import { skipTests } from '../support/skipped.ts';
import { HELM } from './helm.ts';
import { copyOfFiles, rendered } from './kustomize.ts';

const KUBECTL = process.env['KUBECTL'] ?? 'kubectl';
const NAMED = 'unified-commerce-sandbox';
const IMAGE = 'unified-commerce-estate:local';
const ADAPTER = fileURLToPath(new URL('../../examples/payment-hub-adapter', import.meta.url));
/** Single rehearsals name the address of the real system instead. */
const SWAP_OF_ALL = '"SWAP_PAYMENT_HUB_URL":"https://payment-hub.example.com"';
const MEBIBYTES_OF_OUTPUT = 64 * 1_048_576;
/** Namespaces with this label accept only pods with labels of their owner and images by digest. */
const STRICT = 'estate-test-policy';
/** The kubeconfig of a cluster where tests may create namespaces. The default of kubectl is never used. */
const kubeconfig = process.env['TEST_KUBECONFIG'] ?? '';

/** Why tests on a cluster cannot run here; undefined when they can. */
export const whyNoCluster = reasonAgainst();

function reasonAgainst(): string | undefined {
  if (kubeconfig === '') return 'TEST_KUBECONFIG names no cluster, which must have the images of the sandbox';
  try {
    execFileSync(KUBECTL, ['--kubeconfig', kubeconfig, 'get', 'nodes', '--request-timeout=10s'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return `the cluster of TEST_KUBECONFIG does not answer ${KUBECTL}`;
  }
}

export const skipWithoutCluster = (what: string): void => skipTests(what, whyNoCluster, 'a Kubernetes cluster');

/** Runs kubectl, or applies objects, with the cluster under test. */
function cluster(namespace: string) {
  const run = (args: readonly string[]) =>
    promisify(execFile)(KUBECTL, ['--kubeconfig', kubeconfig, '--namespace', namespace, ...args], { maxBuffer: MEBIBYTES_OF_OUTPUT });
  return {
    kubectl: async (...args: readonly string[]): Promise<string> => (await run(args)).stdout.trim(),
    async apply(text: string): Promise<string> {
      const applying = run(['apply', '--filename', '-']);
      applying.child.stdin?.end(text);
      return (await applying).stdout;
    },
  };
}

/** A policy as clusters have it, a namespace that it and the restricted standard apply to, and limits for the namespace. */
const strictNamespace = (name: string): readonly object[] => [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: STRICT },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
          { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments', 'statefulsets'] },
        ],
      },
      variables: [{ name: 'pod', expression: "object.kind == 'Pod' ? object : object.spec.template" }],
      validations: [
        {
          expression: "[object, variables.pod].all(one, 'team' in one.metadata.?labels.orValue({}))",
          message: 'the label team is missing',
        },
        {
          expression: "variables.pod.spec.containers.all(one, one.image.matches('@sha256:[0-9a-f]{64}$'))",
          message: 'an image is not named by digest',
        },
      ],
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: STRICT },
    spec: { policyName: STRICT, validationActions: ['Deny'], matchResources: { namespaceSelector: { matchLabels: { [STRICT]: 'yes' } } } },
  },
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { [STRICT]: 'yes', 'pod-security.kubernetes.io/enforce': 'restricted' } },
  },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'quota', namespace: name },
    spec: { hard: { 'requests.cpu': '2', 'requests.memory': '6Gi', 'limits.memory': '24Gi', pods: '60' } },
  },
  {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'limits', namespace: name },
    spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '20m', memory: '32Mi' }, default: { memory: '128Mi' } }] },
  },
];

/** A namespace with policies, quotas and limits, and the chart in it. */
export async function strictRelease(chart: string) {
  const namespace = `estate-test-${randomUUID().slice(0, 8)}`;
  const { kubectl, apply } = cluster(namespace);
  const byDigest = await imagesByDigest(kubectl);
  const named = (name: string): string => {
    const found = byDigest.find((one) => one.slice(0, one.indexOf('@')).endsWith(name));
    if (found === undefined)
      throw new Error(`No node has an image ${name} with a digest in its name. Push it to a registry, and pull it there.`);
    return found;
  };
  const image = named((process.env['ESTATE_IMAGE'] ?? IMAGE).replace(/:[^:/]*$/, ''));
  const [repository, digest] = image.split('@');
  const values = {
    image: { repository, digest },
    redis: { image: named('/redis') },
    kafka: { image: named('/kafka') },
    labels: { team: 'payments' },
    persistence: { enabled: false },
    service: { type: 'NodePort' },
  };
  await apply(
    strictNamespace(namespace)
      .map((object) => JSON.stringify(object))
      .join('\n---\n'),
  );
  return {
    values,
    kubectl,
    /** Runs Helm on the release, with values. */
    async helm(command: string, more: readonly string[] = [], given?: object) {
      await using folder = await aFolder();
      await folder.write('values.json', given ?? {});
      const release = given === undefined ? ['estate'] : ['estate', chart, '--values', 'values.json'];
      return await runIn(folder.path, HELM, ['--kubeconfig', kubeconfig, '--namespace', namespace, command, ...release, ...more]);
    },
    gateway: () => nodePortOf(kubectl, 'gateway'),
    /** Replaces the StatefulSets by the same ones with the governing Services of the first charts. Their pods continue. */
    async governAsBefore(): Promise<void> {
      for (const name of ['redis', 'kafka']) {
        const { metadata, spec, ...set } = JSON.parse(await kubectl('get', 'statefulset', name, '--output', 'json'));
        const { resourceVersion: _, uid: __, ...kept } = metadata;
        await kubectl('delete', 'statefulset', name, '--cascade=orphan');
        await apply(JSON.stringify({ ...set, metadata: kept, spec: { ...spec, serviceName: name } }));
      }
    },
    down: () => kubectl('delete', 'namespace', namespace, '--wait=false'),
  };
}

/** Address of a service at a port of the nodes. */
async function nodePortOf(kubectl: ReturnType<typeof cluster>['kubectl'], service: string): Promise<string> {
  const host = await kubectl('get', 'nodes', '--output', 'jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address}');
  return `http://${host}:${await kubectl('get', 'service', service, '--output', 'jsonpath={.spec.ports[?(@.port==8080)].nodePort}')}`;
}

/** The names with a digest that the nodes have. */
async function imagesByDigest(kubectl: ReturnType<typeof cluster>['kubectl']): Promise<readonly string[]> {
  const names = await kubectl('get', 'nodes', '--output', 'jsonpath={.items[*].status.images[*].names[*]}');
  return names.match(/[^"\s,[\]]+@sha256:[0-9a-f]{64}/g) ?? [];
}

/** The sandbox without volumes, in a new namespace, with several gateways behind a port of the nodes. The example adapter is in another one. */
export async function sandboxWithGateways(count: number) {
  const namespace = `estate-test-${randomUUID().slice(0, 8)}`;
  const outside = `${namespace}-payments`;
  const { kubectl, apply: applyHere } = cluster(namespace);
  // kubectl refuses objects of another namespace than the given one.
  const { apply: applyOutside } = cluster(outside);
  const apply = (objects: readonly object[], applyText: (text: string) => Promise<string>): Promise<string> => {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    const permitted = list.replace(SWAP_OF_ALL, `"OUTBOUND_ALLOW":"adapter.${outside}"`);
    return applyText(permitted.replaceAll(NAMED, namespace).replaceAll(IMAGE, process.env['ESTATE_IMAGE'] ?? IMAGE));
  };
  const files = copyOfFiles();
  const components = ['ephemeral-storage', 'swap'].map((name) => `../../components/${name}`);
  const objects = files.renderNew({ namespace: NAMED, resources: ['../sandbox'], components });
  files.remove();
  return {
    kubectl,
    async up(timeout: string): Promise<void> {
      await apply([...objects.map((object) => withReplicas(object, 'gateway', count)), entrance], applyHere);
      await apply(
        rendered(ADAPTER).map((object) => inNamespace(object, outside)),
        applyOutside,
      );
      for (const one of [namespace, outside])
        await kubectl('wait', '--for=condition=Available', 'deployment', '--all', `--timeout=${timeout}`, '--namespace', one);
    },
    /** Address of the service, which balances over the gateways. */
    gateway: () => nodePortOf(kubectl, 'entrance'),
    /** Address of the example adapter, for swaps. */
    adapter: `http://adapter.${outside}:4000`,
    pods: async (name: string): Promise<readonly string[]> =>
      (await kubectl('get', 'pods', '--selector', `app.kubernetes.io/name=${name}`, '--output', 'name')).split('\n'),
    down: (): Promise<string> => kubectl('delete', 'namespace', namespace, outside, '--wait=false'),
  };
}

const entrance = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'entrance', namespace: NAMED },
  spec: { type: 'NodePort', selector: { 'app.kubernetes.io/name': 'gateway' }, ports: [{ name: 'http', port: 8080, targetPort: 'http' }] },
};

const withReplicas = (object: KubernetesObject, name: string, replicas: number): KubernetesObject =>
  object.kind === 'Deployment' && object.metadata.name === name ? { ...object, spec: { ...object.spec, replicas } } : object;

const inNamespace = (object: KubernetesObject, name: string): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, ...(object.kind === 'Namespace' ? { name } : { namespace: name }) },
});
