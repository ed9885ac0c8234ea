import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { KubernetesObject } from '../support/kubernetes-objects.ts';
import { skipTests } from '../support/skipped.ts';
import { copyOfFiles, rendered } from './kustomize.ts';

const KUBECTL = process.env['KUBECTL'] ?? 'kubectl';
const NAMED = 'unified-commerce-sandbox';
const IMAGE = 'unified-commerce-estate:local';
const ADAPTER = fileURLToPath(new URL('../../examples/payment-hub-adapter', import.meta.url));
/** Single rehearsals name the address of the real system instead. */
const SWAP_OF_ALL = '"SWAP_PAYMENT_HUB_URL":"https://payment-hub.example.com"';
const MEBIBYTES_OF_OUTPUT = 64 * 1_048_576;
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

/** The sandbox without volumes, in a new namespace, with several gateways behind a port of the nodes. The example adapter is in another one. */
export async function sandboxWithGateways(count: number) {
  const namespace = `estate-test-${randomUUID().slice(0, 8)}`;
  const outside = `${namespace}-payments`;
  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const all = ['--kubeconfig', kubeconfig, '--namespace', namespace, ...args];
    return (await promisify(execFile)(KUBECTL, all, { maxBuffer: MEBIBYTES_OF_OUTPUT })).stdout.trim();
  };
  const apply = (objects: readonly object[]): Promise<string> => {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    const applying = promisify(execFile)(KUBECTL, ['--kubeconfig', kubeconfig, 'apply', '--filename', '-'], {
      maxBuffer: MEBIBYTES_OF_OUTPUT,
    });
    const permitted = list.replace(SWAP_OF_ALL, `"OUTBOUND_ALLOW":"adapter.${outside}"`);
    applying.child.stdin?.end(permitted.replaceAll(NAMED, namespace).replaceAll(IMAGE, process.env['ESTATE_IMAGE'] ?? IMAGE));
    return applying.then(({ stdout }) => stdout);
  };
  const files = copyOfFiles();
  const components = ['ephemeral-storage', 'swap'].map((name) => `../../components/${name}`);
  const objects = files.renderNew({ namespace: NAMED, resources: ['../sandbox'], components });
  files.remove();
  return {
    kubectl,
    async up(timeout: string): Promise<void> {
      await apply([...objects.map((object) => withReplicas(object, 'gateway', count)), entrance]);
      await apply(rendered(ADAPTER).map((object) => inNamespace(object, outside)));
      for (const one of [namespace, outside])
        await kubectl('wait', '--for=condition=Available', 'deployment', '--all', `--timeout=${timeout}`, '--namespace', one);
    },
    /** Address of the service, which balances over the gateways. */
    async gateway(): Promise<string> {
      const host = await kubectl('get', 'nodes', '--output', 'jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address}');
      return `http://${host}:${await kubectl('get', 'service', 'entrance', '--output', 'jsonpath={.spec.ports[0].nodePort}')}`;
    },
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
