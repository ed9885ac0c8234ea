import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readConfiguration } from '../../estate/configuration.ts';
import { applicationNames } from '../../shared/catalog/applications.ts';
import { composeFile } from '../support/compose-file.ts';
import {
  type Container,
  environmentOf,
  type KubernetesObject,
  quantity,
  schemaComplaints,
  selects,
} from '../support/kubernetes-objects.ts';
import { skipTests } from '../support/skipped.ts';
import { textOf } from '../support/tracked-files.ts';
import { kubeconformComplaints, whyNoKubeconform } from './kubeconform.ts';
import { copyOfFiles, whyNoKustomize } from './kustomize.ts';

const IMAGE = 'unified-commerce-estate:local';
const ours = [...applicationNames, 'gateway', 'touchpoint-mock'].toSorted();
const overlays = readdirSync(new URL('../../k8s/overlays', import.meta.url));
/** Longest duration of a stop after the drain delay. */
const STOPPING_MS = 15_000;

/** Defaults that the image sets. */
const imageEnvironment = Object.fromEntries(
  [...(/^ENV ((?:.*\\\n)*.*)$/m.exec(textOf('Dockerfile'))?.[1] ?? '').matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]),
);

/** Intended differences between one machine and a cluster. Addresses are functions, which the tests above compare with the catalog. */
const OF_A_CLUSTER = [
  ...['REDIS_URL', 'REDIS_PASSWORD', 'ESTATE_TOKEN', 'CREDENTIAL_PEPPER', 'DRAIN_DELAY_MS', 'ALLOW_DEMO_CREDENTIALS', 'addressOf'],
  // Pages on a developer's machine call the gateway of the compose file.
  'CORS_ORIGINS',
  ...['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'],
];
/** Tools on the machine use an additional listener in the compose file, and the forwarded listener of the pod in a cluster. */
const LISTENERS = ['KAFKA_LISTENERS', 'KAFKA_ADVERTISED_LISTENERS'];
/** The estate logs in at the broker of a cluster. */
const LOGIN = [
  ...['KAFKA_LISTENER_SECURITY_PROTOCOL_MAP', 'KAFKA_SASL_ENABLED_MECHANISMS', 'PASSWORD_OF_KAFKA'],
  'KAFKA_LISTENER_NAME_ESTATE_PLAIN_SASL_JAAS_CONFIG',
];

const without = (record: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

if (whyNoKustomize === undefined) {
  const files = copyOfFiles();
  afterAll(() => files.remove());

  describe.each(overlays)('The overlay %s', (overlay) => {
    const objects = files.render(`overlays/${overlay}`);
    const ofKind = (kind: string): readonly KubernetesObject[] => objects.filter((object) => object.kind === kind);
    const deployments = ofKind('Deployment');
    const workloads = [...deployments, ...ofKind('StatefulSet')];
    const containerOf = ({ metadata, spec }: KubernetesObject): Container => {
      const [container, ...more] = spec?.template?.spec.containers ?? [];
      if (container === undefined || more.length > 0) throw new Error(`${metadata.name} has not just one container`);
      return container;
    };

    test('An overlay contains only objects that match their schema, without unknown members', async () => {
      expect(objects.length).toBeGreaterThan(70);
      expect((await Promise.all(objects.map(schemaComplaints))).flat()).toEqual([]);
    });

    if (whyNoKubeconform === undefined)
      test('An overlay passes kubeconform', async () => {
        expect(await kubeconformComplaints(objects)).toEqual([]);
        const [deployment] = deployments;
        const misspelt = { ...deployment, spec: { ...deployment?.spec, replica: 2 } } as unknown as KubernetesObject;
        expect(await kubeconformComplaints([misspelt])).toEqual([expect.stringContaining('replica')]);
      });
    else skipTests('kubeconform on the overlays', whyNoKubeconform, 'kubeconform');

    test('An overlay uses one namespace, which enforces the restricted Pod Security Standard', () => {
      const [namespace, ...more] = ofKind('Namespace');
      expect(more).toEqual([]);
      expect(namespace?.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
      const elsewhere = objects.filter((object) => object !== namespace && object.metadata.namespace !== namespace?.metadata.name);
      expect(elsewhere.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
    });

    test('An overlay starts every application, the gateway and the touchpoint mock from one image', () => {
      expect(deployments.map(({ metadata }) => metadata.name).toSorted()).toEqual(ours);
      expect([...new Set(deployments.map((deployment) => containerOf(deployment).image))]).toEqual([IMAGE]);
    });

    test.each(ours)('An overlay gives %s an environment that it accepts', (name) => {
      const deployment = deployments.find(({ metadata }) => metadata.name === name);
      const environment = deployment ? environmentOf(containerOf(deployment), objects) : {};
      const configuration = readConfiguration({ ...imageEnvironment, ...environment });
      expect(configuration).toMatchObject({ SERVICE: name, NODE_ENV: 'production', HOST: '0.0.0.0', DRAIN_DELAY_MS: 5000 });
      // In a cluster an application is found under its name, at the port of its service.
      for (const application of applicationNames) expect(configuration.addressOf(application)).toBe(`http://${application}:8080`);
      if (name === 'touchpoint-mock') expect(environment).not.toMatchObject({ ESTATE_TOKEN: expect.anything() });
      else
        expect(configuration).toMatchObject({
          KAFKA_BROKERS: ['kafka:9092'],
          KAFKA_SASL_MECHANISM: 'plain',
          KAFKA_SASL_PASSWORD: 'examplekafkapassword',
          REDIS_URL: 'redis://:exampleredispassword@redis:6379',
        });
      expect('CREDENTIAL_PEPPER' in environment).toBe(name === 'gateway');
    });

    test('An overlay takes secrets only from Secret objects', () => {
      const [secret, ...more] = ofKind('Secret');
      expect(more).toEqual([]);
      const values = Object.values(secret?.data ?? {}).map((value) => Buffer.from(value, 'base64').toString());
      expect(values.length).toBe(4);
      const others = JSON.stringify(objects.filter(({ kind }) => kind !== 'Secret'));
      expect(values.filter((value) => others.includes(value))).toEqual([]);
    });

    test.each(workloads.map((workload) => ({ name: workload.metadata.name, workload })))(
      'An overlay gives $name only the privileges that it needs',
      ({ workload }) => {
        const securityContext = { runAsNonRoot: true, runAsUser: expect.any(Number), seccompProfile: { type: 'RuntimeDefault' } };
        const pod = { automountServiceAccountToken: false, enableServiceLinks: false, securityContext };
        expect(workload.spec?.template?.spec).toMatchObject(pod);
        const container = containerOf(workload);
        const bare = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };
        expect(container.securityContext).toEqual(bare);
        expect(container.volumeMounts).toContainEqual({ name: 'tmp', mountPath: '/tmp' });
        const requests = { cpu: expect.any(String), memory: expect.any(String) };
        expect(container.resources).toMatchObject({ requests, limits: { memory: expect.any(String) } });
        // There is no CPU limit, because it would only delay answers.
        expect(container.resources?.limits).not.toHaveProperty('cpu');
      },
    );

    test.each(deployments.map((deployment) => ({ name: deployment.metadata.name, deployment })))(
      'An overlay starts, probes and stops $name without an interruption for clients',
      ({ deployment }) => {
        const container = containerOf(deployment);
        expect(container.ports?.[0]?.name).toBe('http');
        const { startupProbe, readinessProbe, livenessProbe } = container;
        const paths = [startupProbe, readinessProbe, livenessProbe].map((probe) => [probe?.httpGet?.path, probe?.httpGet?.port]);
        expect(paths).toEqual(['/healthz', '/readyz', '/healthz'].map((path) => [path, 'http']));
        expect(deployment.spec?.strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
        const delay = Number(environmentOf(container, objects)['DRAIN_DELAY_MS']);
        const grace = deployment.spec?.template?.spec.terminationGracePeriodSeconds ?? 0;
        expect(grace * 1000).toBeGreaterThan(delay + STOPPING_MS);
      },
    );

    test('An overlay fits into its quota while every application is being replaced, and into two processors', () => {
      const quota = ofKind('ResourceQuota')[0]?.spec?.hard ?? {};
      const needed = (kind: 'requests' | 'limits', resource: string): number =>
        workloads.reduce((sum, workload) => {
          const pods = (workload.spec?.replicas ?? 1) + (workload.kind === 'Deployment' ? 1 : 0);
          return sum + pods * quantity(containerOf(workload).resources?.[kind]?.[resource] ?? '0');
        }, 0);
      expect(needed('requests', 'cpu')).toBeLessThanOrEqual(quantity(quota['requests.cpu'] ?? '0'));
      expect(needed('requests', 'cpu')).toBeLessThan(2);
      expect(needed('requests', 'memory')).toBeLessThanOrEqual(quantity(quota['requests.memory'] ?? '0'));
      expect(needed('limits', 'memory')).toBeLessThanOrEqual(quantity(quota['limits.memory'] ?? '0'));
    });
  });

  describe('The components', () => {
    const named = (objects: readonly KubernetesObject[], kind: string, name: string) =>
      objects.find((object) => object.kind === kind && object.metadata.name === name);

    test('The data of Redis and Kafka is in a volume, or in the pod when configured', () => {
      for (const name of ['redis', 'kafka']) {
        const kept = named(files.render('overlays/sandbox'), 'StatefulSet', name)?.spec;
        expect(kept).toMatchObject({ volumeClaimTemplates: [{ metadata: { name: 'data' } }] });
        const forgetful = named(files.renderWith('sandbox', 'ephemeral-storage'), 'StatefulSet', name)?.spec;
        expect(forgetful).not.toHaveProperty('volumeClaimTemplates');
        expect(forgetful).toMatchObject({ template: { spec: { volumes: expect.arrayContaining([{ name: 'data', emptyDir: {} }]) } } });
      }
    });

    test('The overlay replicas starts three replicas of the services of the stock path', () => {
      const objects = files.render('overlays/replicas');
      const several = objects.filter(({ kind, spec }) => kind === 'Deployment' && (spec?.replicas ?? 1) > 1);
      const three = ['gateway', 'inventory-service', 'oms', 'sim'].map((name) => [name, 3]);
      expect(several.map(({ metadata, spec }) => [metadata.name, spec?.replicas])).toEqual(three);
    });

    test('The overlay autoscaled leaves the number of replicas to the autoscaler', () => {
      const objects = files.render('overlays/autoscaled');
      const scaled = objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
      expect(scaled.length).toBeGreaterThan(3);
      const replicas = scaled.map(({ spec }) => named(objects, 'Deployment', spec?.scaleTargetRef?.name ?? '')?.spec?.replicas);
      expect(new Set(replicas)).toEqual(new Set([undefined]));
    });
  });

  describe('The guide "A world per pull request"', () => {
    interface Kustomize {
      readonly nameSuffix: string;
      readonly commonLabels: Readonly<Record<string, string>>;
      readonly images: readonly string[];
    }

    /** The example service as Argo CD renders it for a pull request. */
    function preview(number: string): readonly KubernetesObject[] {
      const [, yaml = ''] = /```yaml\n(apiVersion: argoproj[\s\S]*?)```/.exec(textOf('docs/how-to/kubernetes.md')) ?? [];
      const filled = parse(yaml.replaceAll('{{.number}}', number).replaceAll('{{.head_sha}}', `sha-${number}`)) as {
        readonly spec: { readonly template: { readonly spec: { readonly source: { readonly kustomize: Kustomize } } } };
      };
      const { nameSuffix, commonLabels, images } = filled.spec.template.spec.source.kustomize;
      const [name, image = ''] = images[0]?.split('=') ?? [];
      const at = image.lastIndexOf(':');
      // The kustomization of the example has already replaced the name of the image.
      return files.renderNew({
        resources: ['../../own-service'],
        nameSuffix,
        labels: [{ pairs: commonLabels, includeSelectors: true }],
        images: [{ name: name === 'my-service' ? 'node' : name, newName: image.slice(0, at), newTag: image.slice(at + 1) }],
      });
    }

    test('The Service of a preview selects only the pods of its pull request', () => {
      const [first, second] = [preview('41'), preview('42')];
      const of = (objects: readonly KubernetesObject[], kind: string) => objects.find((object) => object.kind === kind);
      const selector = of(first, 'Service')?.spec?.selector as Readonly<Record<string, string>>;
      const labelsOf = (objects: readonly KubernetesObject[]) => of(objects, 'Deployment')?.spec?.template?.metadata.labels ?? {};
      expect(of(first, 'Service')?.metadata.name).toBe('my-service-pr-41');
      expect(selects({ matchLabels: selector }, labelsOf(first))).toBe(true);
      expect(selects({ matchLabels: selector }, labelsOf(second))).toBe(false);
      expect(of(second, 'Deployment')?.spec?.template?.spec.containers[0]?.image).toBe('registry.example.org/my-service:sha-42');
    });

    test('The example service matches its schemas, and calls only the gateway', async () => {
      const objects = preview('42');
      expect((await Promise.all(objects.map(schemaComplaints))).flat()).toEqual([]);
      const [container] = objects.find(({ kind }) => kind === 'Deployment')?.spec?.template?.spec.containers ?? [];
      const addresses = Object.entries(container ? environmentOf(container, objects) : {});
      expect(addresses.map(([name]) => name)).toEqual(['ECOMMERCE_PLATFORM_URL', 'PAYMENT_HUB_URL', 'OMS_URL']);
      for (const [, address] of addresses) expect(textOf('docs/how-to/kubernetes.md')).toContain(`\`${address}\``);
    });
  });

  describe('The sandbox and the compose file', () => {
    const { services } = composeFile('docker-compose.yml');
    const objects = files.render('overlays/sandbox');
    const containers = objects
      .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
      .flatMap(({ metadata, spec }) => (spec?.template?.spec.containers ?? []).map((container) => ({ name: metadata.name, container })));
    const withDefaults = (value: unknown): string => String(value).replace(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1');
    const composed = (name: string): Record<string, string> =>
      Object.fromEntries(Object.entries(services[name]?.environment ?? {}).map(([variable, value]) => [variable, withDefaults(value)]));

    test.each(containers)('The sandbox and the compose file run $name from the same image, with the same memory', ({ name, container }) => {
      expect(container.image).toBe(withDefaults(services[name]?.image));
      const memory = String(services[name]?.['mem_limit']).replace(/[mg]$/, (unit) => `${unit.toUpperCase()}i`);
      expect(container.resources?.limits?.['memory']).toEqual(expect.stringMatching(/^\d+[MG]i$/));
      expect(quantity(container.resources?.limits?.['memory'] ?? '')).toBe(quantity(memory));
    });

    test.each(containers.filter(({ name }) => ours.includes(name)))(
      'The sandbox and the compose file configure $name alike',
      ({ name, container }) => {
        const configured = (environment: object) => without(readConfiguration({ ...imageEnvironment, ...environment }), OF_A_CLUSTER);
        expect(configured(environmentOf(container, objects))).toEqual(configured(composed(name)));
      },
    );

    test('The sandbox and the compose file configure Kafka alike, except its listeners and its login', () => {
      const kafka = containers.find(({ name }) => name === 'kafka')?.container;
      const given = kafka ? environmentOf(kafka, objects) : {};
      const command = services['kafka']?.['command'];
      expect(kafka?.command).toEqual((Array.isArray(command) ? command : []).map((word) => String(word).replaceAll('$$', '$')));
      expect(without(given, [...LISTENERS, ...LOGIN])).toEqual(without(composed('kafka'), [...LISTENERS, ...LOGIN]));
      for (const name of LISTENERS)
        expect(composed('kafka')[name]?.split(',')).toEqual(expect.arrayContaining(given[name]?.split(',') ?? []));
    });

    test('The sandbox and the compose file configure Redis alike, except its password', () => {
      const redis = containers.find(({ name }) => name === 'redis')?.container;
      const command = services['redis']?.['command'];
      expect(redis?.args).toEqual((Array.isArray(command) ? command : []).slice(1));
    });
  });
} else skipTests('the overlays of Kubernetes', whyNoKustomize, 'kubectl or kustomize');
