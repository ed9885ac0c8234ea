import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readConfiguration } from '../../estate/configuration.ts';
import { CHART } from '../../helm/chart.ts';
import manifest from '../../package.json' with { type: 'json' };
import { aFolder } from '../support/folder.ts';
import { environmentOf, type KubernetesObject, schemaComplaints } from '../support/kubernetes-objects.ts';
import { runIn } from '../support/scratch-project.ts';
import { skipTests } from '../support/skipped.ts';
import { textOf } from '../support/tracked-files.ts';
import { chart, HELM, template, whyNoHelm } from './helm.ts';
import { kubeconformComplaints, whyNoKubeconform } from './kubeconform.ts';
import { copyOfFiles, whyNoKustomize } from './kustomize.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/** Objects that only the owner of a cluster makes, and the Secret, whose values are random in the chart. */
const NOT_COMPARED = ['Namespace', 'ResourceQuota', 'LimitRange', 'Secret'];

/** Objects by kind and name, without what the tools add: the namespace, the hash in generated names, and the checksum of the settings. */
function comparable(objects: readonly KubernetesObject[]): Readonly<Record<string, unknown>> {
  const compared = objects.filter(
    ({ kind, metadata }) => !NOT_COMPARED.includes(kind) && !('helm.sh/hook' in (metadata.annotations ?? {})),
  );
  const text = JSON.stringify(compared, (key, value: unknown) => (key === 'namespace' ? undefined : value))
    .replaceAll(/"(estate|kafka-logging)-[a-z0-9]{10}"/g, '"$1"')
    .replaceAll(/"annotations":\{"checksum\/settings":"[0-9a-f]{64}"\},?/g, '');
  return Object.fromEntries((JSON.parse(text) as KubernetesObject[]).map((object) => [`${object.kind} ${object.metadata.name}`, object]));
}

const sandbox = (more: object) => ({ resources: ['../sandbox'], ...more });
const components = (...names: readonly string[]) => names.map((name) => `../../components/${name}`);
const three = { replicas: 3 };

/** The chart names the policy after the application, because several may be swapped. */
const RENAMED = {
  target: { kind: 'NetworkPolicy', name: 'real-system' },
  patch: JSON.stringify([{ op: 'replace', path: '/metadata/name', value: 'real-system-payment-hub' }]),
  options: { allowNameChange: true },
};

/** Values of the chart, and the kustomization that they stand for. */
const SAME: readonly [what: string, values: object, kustomization: object][] = [
  ['by default', {}, sandbox({})],
  ['without volumes', { persistence: { enabled: false } }, sandbox({ components: components('ephemeral-storage') })],
  ['with webhooks', { webhooks: { allow: 'private' } }, sandbox({ components: components('webhooks') })],
  [
    'with a real system',
    { swaps: { 'payment-hub': 'https://payment-hub.example.com' } },
    sandbox({ components: components('swap'), patches: [RENAMED] }),
  ],
  ['with autoscaling', { autoscaling: { enabled: true } }, { resources: ['../autoscaled'] }],
  [
    'with replicas',
    { deployments: { gateway: three, 'inventory-service': three, oms: three, sim: three } },
    { resources: ['../replicas'] },
  ],
  [
    'with the image of a registry',
    { image: { repository: 'registry.example.org/team/estate', tag: '2' } },
    sandbox({ images: [{ name: 'unified-commerce-estate', newName: 'registry.example.org/team/estate', newTag: '2' }] }),
  ],
  [
    'without policies and budgets',
    { networkPolicies: { enabled: false }, disruptionBudgets: { enabled: false }, settings: { ALLOW_DEMO_CREDENTIALS: null } },
    { resources: ['../../base'], components: components('redis', 'kafka'), images: [{ name: 'unified-commerce-estate', newTag: 'local' }] },
  ],
];

const EXTERNAL = {
  secrets: { existing: 'ours', files: 'passwords' },
  settings: { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'team-a', KAFKA_SASL_PASSWORD_FILE: '/files/kafka-password' },
  redis: { external: 'rediss://team-a@redis.example.com:6380/2' },
  kafka: { external: 'one.example.com:9093,two.example.com:9094' },
};
const EVERYTHING = {
  ...EXTERNAL,
  image: { pullPolicy: 'Always', pullSecrets: ['registry'] },
  nodeSelector: { pool: 'tests' },
  tolerations: [{ key: 'pool', operator: 'Exists' }],
  deployments: { oms: { replicas: 0, resources: { requests: { memory: '256Mi' }, limits: { memory: '512Mi' } } } },
  host: 'estate.example.com',
  ingress: { enabled: true, className: 'nginx', annotations: { a: 'b' }, tlsSecret: 'certificate' },
  httpRoute: { enabled: true, parentRefs: [{ name: 'public', namespace: 'gateways' }] },
  service: { type: 'LoadBalancer' },
  webhooks: { allow: 'private' },
  swaps: { 'payment-hub': 'https://hub.example.com', crm: 'https://crm.example.com' },
  networkPolicies: { egress: { 'payment-hub': ['10.20.0.0/16'] } },
};

if (whyNoHelm === undefined) {
  describe('The chart', () => {
    test('The chart passes the strict lint of Helm', async () => {
      expect(await runIn(chart, HELM, ['lint', '--strict', '.', '--kube-version', '1.34.0'])).toMatchObject({
        code: 0,
        out: expect.stringContaining('0 chart(s) failed'),
      });
    });

    test('The chart renders only objects that match their schema, with every value set', async () => {
      const { objects, err } = await template(EVERYTHING);
      expect(err).toBe('');
      const [routes, known] = [objects.filter(({ kind }) => kind === 'HTTPRoute'), objects.filter(({ kind }) => kind !== 'HTTPRoute')];
      expect((await Promise.all(known.map(schemaComplaints))).flat()).toEqual([]);
      expect(routes).toMatchObject([
        { spec: { hostnames: ['estate.example.com'], parentRefs: [{ name: 'public', namespace: 'gateways' }] } },
      ]);
    });

    if (whyNoKubeconform === undefined)
      test.each([
        ['by default', {}],
        ['with every value set', EVERYTHING],
        ['with monitoring', { monitoring: { enabled: true, credential: { secret: 'token' } } }],
      ])('The chart passes kubeconform %s', async (_what, values) => {
        const { objects } = await template(values);
        expect(objects.length).toBeGreaterThan(40);
        expect(await kubeconformComplaints(objects)).toEqual([]);
      });
    else skipTests('kubeconform on the chart', whyNoKubeconform, 'kubeconform');

    test('The chart connects to external Redis and Kafka with a Secret of the user, and runs neither', async () => {
      const { objects } = await template(EXTERNAL);
      expect(objects.filter(({ kind }) => ['StatefulSet', 'Secret'].includes(kind))).toEqual([]);
      const data = Object.fromEntries(
        ['ESTATE_TOKEN', 'CREDENTIAL_PEPPER', 'PASSWORD_OF_REDIS'].map((key) => [key, Buffer.from(key.padEnd(32)).toString('base64')]),
      );
      const ours = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'ours' }, data };
      const [container] = named(objects, 'Deployment', 'oms')?.spec?.template?.spec.containers ?? [];
      const environment = container ? environmentOf(container, [...objects, ours]) : {};
      expect(environment).toMatchObject({
        REDIS_URL: EXTERNAL.redis.external,
        KAFKA_BROKERS: EXTERNAL.kafka.external,
        ...EXTERNAL.settings,
      });
      expect(environment).toMatchObject({ ESTATE_TOKEN: 'ESTATE_TOKEN'.padEnd(32) });
      expect(Object.keys(environment)).not.toContain('KAFKA_SASL_PASSWORD');
      expect(container?.volumeMounts).toContainEqual({ name: 'files', mountPath: '/files', readOnly: true });
      const ports = [6_380, 9_093, 9_094].map((port) => ({ protocol: 'TCP', port }));
      expect(named(objects, 'NetworkPolicy', 'to-store-and-bus')?.spec?.egress).toEqual([
        { ports: ports.slice(0, 1) },
        { ports: ports.slice(1) },
      ]);
      expect(named(objects, 'NetworkPolicy', 'redis')).toBeUndefined();
    });

    test('The chart makes secrets that the estate accepts, and replaces the pods when a setting changes', async () => {
      const [first, second] = await Promise.all([template({}), template({ settings: { LOG_LEVEL: 'debug' } })]);
      const [container] = named(first.objects, 'Deployment', 'gateway')?.spec?.template?.spec.containers ?? [];
      const environment = container ? environmentOf(container, first.objects) : {};
      expect(readConfiguration({ ...environment, HOST: '0.0.0.0' })).toMatchObject({ SERVICE: 'gateway', KAFKA_BROKERS: ['kafka:9092'] });
      const dataOf = ({ objects }: typeof first) => named(objects, 'Secret', 'estate')?.data;
      expect(Object.keys(dataOf(first) ?? {})).toEqual([
        ...['ESTATE_TOKEN', 'CREDENTIAL_PEPPER', 'PASSWORD_OF_REDIS', 'PASSWORD_OF_KAFKA'],
      ]);
      expect(dataOf(first)).not.toEqual(dataOf(second));
      const checksum = ({ objects }: typeof first) => JSON.stringify(named(objects, 'Deployment', 'oms')?.spec?.template?.metadata);
      expect(checksum(first)).not.toBe(checksum(second));
    });

    test('The chart gives its broker and the applications one password, and the touchpoint mock none', async () => {
      const { objects } = await template({});
      const environmentIn = (kind: string, name: string) => {
        const [container] = named(objects, kind, name)?.spec?.template?.spec.containers ?? [];
        return container ? environmentOf(container, objects) : {};
      };
      const { KAFKA_SASL_PASSWORD: password = '' } = environmentIn('Deployment', 'oms');
      expect(password).toMatch(/^[A-Za-z0-9]{48}$/);
      expect(environmentIn('StatefulSet', 'kafka')).toMatchObject({
        KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: expect.stringContaining('ESTATE:SASL_PLAINTEXT'),
        KAFKA_LISTENER_NAME_ESTATE_PLAIN_SASL_JAAS_CONFIG: expect.stringContaining(` user_estate="${password}";`),
      });
      expect(JSON.stringify(environmentIn('Deployment', 'touchpoint-mock'))).not.toContain(password);
    });

    test('The chart passes labels, annotations and rules of placement to every object and pod, and keeps its selectors', async () => {
      const placed = {
        labels: { team: 'payments', 'app.kubernetes.io/name': 'other' },
        annotations: { contact: 'team@example.org' },
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
        priorityClassName: 'low',
      };
      const { objects, err } = await template({ ...placed, monitoring: { enabled: true }, host: 'a.example', ingress: { enabled: true } });
      expect(err).toBe('');
      for (const { kind, metadata, spec } of objects) {
        expect([kind, metadata]).toMatchObject([kind, { labels: { team: 'payments' }, annotations: placed.annotations }]);
        const pod = kind === 'Pod' ? spec : spec?.template?.spec;
        if (pod?.containers === undefined) continue;
        expect(pod).toMatchObject({ affinity: placed.affinity, priorityClassName: 'low' });
        if (spec?.template !== undefined)
          expect(spec.template.metadata).toMatchObject({ labels: { ...(spec.selector?.['matchLabels'] as object), team: 'payments' } });
      }
    });

    test('The chart takes images by digest and from one registry', async () => {
      const digest = `sha256:${'0'.repeat(64)}`;
      const { objects } = await template({
        global: { imageRegistry: 'mirror.example.com/hub' },
        image: { repository: 'ghcr.io/team/estate', digest },
        secrets: { environment: 'more' },
      });
      const images = (kind: string, name: string) => named(objects, kind, name)?.spec?.template?.spec.containers.map(({ image }) => image);
      expect(images('Deployment', 'oms')).toEqual([`mirror.example.com/hub/team/estate@${digest}`]);
      expect(images('StatefulSet', 'redis')).toEqual([expect.stringMatching(/^mirror\.example\.com\/hub\/redis:/)]);
      expect(images('StatefulSet', 'kafka')).toEqual([expect.stringMatching(/^mirror\.example\.com\/hub\/apache\/kafka:/)]);
      expect(JSON.stringify(named(objects, 'Pod', 'order-test'))).toContain(digest);
      expect(JSON.stringify(named(objects, 'Deployment', 'oms'))).toContain('{"secretRef":{"name":"more"}}');
    });

    test('The chart gives limits of CPU, which a quota may demand, to the pods of its applications and of its test', async () => {
      const limits = { resources: { limits: { cpu: '1' } } };
      const { objects } = await template({ ...limits, redis: limits, kafka: limits });
      const pods = objects.map(({ kind, spec }) => (kind === 'Pod' ? spec : spec?.template?.spec) as typeof spec);
      const containers = pods.flatMap((pod) => (pod as { containers?: readonly object[] } | undefined)?.containers ?? []);
      expect(containers).toHaveLength(18);
      for (const container of containers) expect(container).toMatchObject(limits);
    });

    test('The chart has a dashboard, and monitors of the gateway only with a credential', async () => {
      const monitors = async (monitoring: object) =>
        (await template({ monitoring })).objects.filter(({ kind }) => kind === 'PodMonitor').map(({ metadata }) => metadata.name);
      expect(await monitors({})).toEqual([]);
      expect(await monitors({ enabled: true })).toEqual(['estate-applications']);
      expect(await monitors({ enabled: true, credential: { secret: 'token' } })).toEqual(['estate-applications', 'estate-gateway']);
      const { objects } = await template({ monitoring: { enabled: true } });
      const { panels } = JSON.parse(named(objects, 'ConfigMap', 'estate-dashboard')?.data?.['estate.json'] ?? '{}') as {
        panels: { title: string }[];
      };
      expect(panels.map(({ title }) => title)).toEqual(expect.arrayContaining(['Due work', 'Parked work', 'Rehearsals']));
      const { objects: without } = await template({ test: { enabled: false } });
      expect(named(without, 'Pod', 'order-test')).toBeUndefined();
    });

    test('The chart opens a connection for the named application only', async () => {
      const { objects } = await template(EVERYTHING);
      expect(objects.filter(({ metadata }) => metadata.name.endsWith('-egress'))).toMatchObject([
        {
          metadata: { name: 'payment-hub-egress' },
          spec: {
            podSelector: { matchLabels: { 'app.kubernetes.io/name': 'payment-hub' } },
            egress: [{ to: [{ ipBlock: { cidr: '10.20.0.0/16' } }] }],
          },
        },
      ]);
    });

    test('The chart permits the address of a real system that only rehearsals name', async () => {
      const swap = { settings: { OUTBOUND_ALLOW: 'hub.example.com' }, swaps: { 'payment-hub': '' }, webhooks: { allow: 'private' } };
      const { objects } = await template(swap);
      const data = named(objects, 'ConfigMap', 'estate')?.data ?? {};
      expect(Object.entries(data).filter(([name]) => /^(OUTBOUND|SWAP)_/.test(name))).toEqual([
        ['OUTBOUND_ALLOW', 'hub.example.com,private'],
      ]);
      expect(named(objects, 'NetworkPolicy', 'real-system-payment-hub')).toBeDefined();
    });

    test.each<[object, string]>([
      [{ image: { digest: 'latest' } }, `at '/image/digest': 'latest' does not match pattern`],
      [{ tolerations: [{ efect: 'NoSchedule' }] }, `at '/tolerations/0': additional properties 'efect' not allowed`],
      [{ affinity: { node: {} } }, `at '/affinity': additional properties 'node' not allowed`],
      [{ image: { tga: '1' } }, `at '/image': additional properties 'tga' not allowed`],
      [{ settings: { LOG_LEVEL: 'loud' } }, `at '/settings/LOG_LEVEL': value must be one of 'trace'`],
      [{ settings: { LOGLEVEL: 'info' } }, `at '/settings': additional properties 'LOGLEVEL' not allowed`],
      [{ deployments: { order: { replicas: 2 } } }, `at '/deployments': additional properties 'order' not allowed`],
      [{ deployments: { oms: { replicas: 'two' } } }, `at '/deployments/oms/replicas': got string, want integer`],
      [{ redis: { external: 'redis.example.com' } }, `at '/redis/external': 'redis.example.com' does not match pattern`],
      [{ networkPolicies: { egress: { oms: ['shop'] } } }, `at '/networkPolicies/egress/oms/0': 'shop' does not match pattern`],
      [{ ingress: { enabled: true } }, 'host is empty: name the host of the gateway'],
      [{ host: 'a.example', httpRoute: { enabled: true } }, 'httpRoute.parentRefs is empty: name a Gateway'],
      [
        { autoscaling: { enabled: true }, deployments: { oms: three } },
        'deployments.oms.replicas has no effect, because autoscaling.enabled',
      ],
    ])('The chart refuses %j by name', async (values, message) => {
      expect(await template(values)).toEqual({ objects: [], err: expect.stringContaining(message) });
    });

    test('The chart accepts the values of the documentation', async () => {
      const [, yaml = ''] = /```yaml values\n([\s\S]*?)```/.exec(textOf('docs/how-to/kubernetes.md')) ?? [];
      const values = parse(yaml) as { readonly host: string };
      expect(values.host).toBe('estate.example.org');
      expect(await template(values)).toEqual({ objects: expect.arrayContaining([expect.objectContaining({ kind: 'Ingress' })]), err: '' });
    });

    test('The chart has each value that the documentation names for a policy of a cluster', async () => {
      const [, section = ''] = /\n### Policies of the cluster\n([\s\S]*?)\n## /.exec(textOf('docs/how-to/kubernetes.md')) ?? [];
      const cells = section.split('\n').map((row) => row.split('|')[2] ?? '');
      const values = cells.flatMap((cell) => [...cell.matchAll(/`([a-z.]+)`/gi)].map(([, value = '']) => value));
      expect(values).toContain('redis.image');
      const defaults = parse(textOf(`${CHART}/values.yaml`)) as object;
      for (const value of values) expect(defaults).toHaveProperty(value);
    });

    test('The packed chart has the version of the package, and runs the image of this version', async () => {
      await using folder = await aFolder();
      const pack = (...options: readonly string[]) =>
        runIn(PROJECT, process.execPath, ['helm/pack.ts', ...options, '--destination', folder.path]);
      expect(await pack()).toMatchObject({ code: 64, err: expect.stringContaining('--repository needs the name of the image') });
      expect(await pack('--repository', 'ghcr.io/team/estate')).toMatchObject({ code: 0, err: '' });
      const archive = `unified-commerce-estate-${manifest.version}.tgz`;
      expect(await readdir(folder.path)).toEqual([archive]);
      const { objects } = await template({}, folder.at(archive));
      const images = objects.flatMap(({ kind, spec }) => (kind === 'Deployment' ? spec?.template?.spec.containers[0]?.image : []));
      expect([...new Set(images)]).toEqual([`ghcr.io/team/estate:${manifest.version}`]);
    });
  });

  if (whyNoKustomize === undefined) {
    const files = copyOfFiles();
    afterAll(() => files.remove());

    describe('The chart and kustomize', () => {
      test.each(SAME)('The chart %s has the objects of its kustomization', async (_what, values, kustomization) => {
        const { objects, err } = await template(values);
        expect(err).toBe('');
        expect(comparable(objects)).toEqual(comparable(files.renderNew(kustomization)));
      });
    });
  } else skipTests('the comparison of the chart with kustomize', whyNoKustomize, 'kubectl or kustomize');
} else skipTests('the chart', whyNoHelm, 'Helm 3');

function named(objects: readonly KubernetesObject[], kind: string, name: string): KubernetesObject | undefined {
  return objects.find((object) => object.kind === kind && object.metadata.name === name);
}
