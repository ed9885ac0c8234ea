import { stringify } from 'yaml';
import { z } from 'zod';
import { applicationNames } from '../shared/catalog/applications.ts';
import { swappableNames } from '../shared/catalog/swap.ts';
import { swapVariables } from '../shared/configuration/swap-variables.ts';
import { variables } from '../shared/configuration/variables.ts';
import { type KubernetesObject, objectsOf, settingsOf } from './kustomized.ts';

/** Variables that the chart sets itself, from other values. */
const SET_BY_THE_CHART = [
  ...['SERVICE', 'NODE_ENV', 'HOST', 'PORT', 'GATEWAY_PORT', 'GATEWAY_URL', 'TOUCHPOINT_PORT', 'PORTAL_PORT', 'PORTAL_HOST', 'TRANSPORT'],
  ...[
    'REDIS_URL',
    'REDIS_PASSWORD',
    'REDIS_PASSWORD_FILE',
    'KAFKA_BROKERS',
    'KAFKA_SASL_PASSWORD',
    'ESTATE_TOKEN',
    'CREDENTIAL_PEPPER',
    'FIXTURES_DIR',
  ],
] as const;

interface Workload {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly image: string; readonly resources: object }[] } };
    readonly volumeClaimTemplates?: readonly {
      readonly spec: { readonly resources: { readonly requests: { readonly storage: string } } };
    }[];
  };
}

/** A workload of a kustomization, by default the first one: defaults of the values are read from it. */
function workloadOf(folder: string, name?: string) {
  const found = objectsOf(folder).find(
    ({ kind, metadata }) => (kind === 'Deployment' || kind === 'StatefulSet') && (name === undefined || metadata.name === name),
  );
  const { spec } = found as KubernetesObject & Workload;
  const [container] = spec.template.spec.containers;
  if (container === undefined) throw new Error(`The workload of k8s/${folder} has no container.`);
  return { container, storage: spec.volumeClaimTemplates?.[0]?.spec.resources.requests.storage ?? '' };
}

const [everyOne, gateway] = [workloadOf('base'), workloadOf('base', 'gateway')];
const [redis, kafka] = [workloadOf('components/redis'), workloadOf('components/kafka')];

const Text = z.string();
const Quantity = z.string().regex(/^[0-9.]+(m|k|Ki|M|Mi|G|Gi|T|Ti)?$/);
const Quantities = z.strictObject({ cpu: Quantity.optional(), memory: Quantity.optional(), 'ephemeral-storage': Quantity.optional() });
const Resources = z.strictObject({ requests: Quantities.optional(), limits: Quantities.optional() });
const Network = z.string().regex(/^[0-9a-fA-F.:]+\/\d{1,3}$/);

const Toleration = z.strictObject({
  key: Text.optional(),
  operator: z.enum(['Exists', 'Equal']).optional(),
  value: Text.optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
  tolerationSeconds: z.int().optional(),
});

const deployments = [...applicationNames, 'gateway', 'touchpoint-mock'] as const;
const Deployment = z
  .strictObject({ replicas: z.int().min(0).max(100).optional(), resources: Resources.optional() })
  .meta({ id: 'Deployment' });
const isSwapUrl = (name: string): boolean => /^SWAP_.*_URL$/.test(name);
const settings = Object.entries({ ...variables, ...swapVariables }).filter(
  ([name]) => !SET_BY_THE_CHART.some((one) => one === name) && !isSwapUrl(name),
);

/** The values of the chart. `values.yaml` and `values.schema.json` are written from this schema. */
const values = z.strictObject({
  image: z.strictObject({
    repository: Text.min(1).default('unified-commerce-estate').describe('The image of all fifteen containers.'),
    tag: Text.min(1).default('local'),
    digest: Text.regex(/^$|^sha256:[0-9a-f]{64}$/)
      .default('')
      .describe('Digest of the image, such as sha256:…. It takes the place of the tag.'),
    pullPolicy: z.enum(['', 'Always', 'IfNotPresent', 'Never']).default('').describe('Empty: the default of Kubernetes.'),
    pullSecrets: z.array(Text.min(1)).default([]).describe('Names of Secrets with the credentials of the registry.'),
  }),
  resources: Resources.default(everyOne.container.resources as z.infer<typeof Resources>).describe('Resources of each container.'),
  deployments: z
    .strictObject(Object.fromEntries(deployments.map((name) => [name, Deployment.optional()])))
    .default({ gateway: { resources: { limits: (gateway.container.resources as z.infer<typeof Resources>).limits } } })
    .describe('Replicas and other resources by name: oms: { replicas: 3, resources: { limits: { memory: 512Mi } } }'),
  autoscaling: z.strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe('One to four pods of the gateway and of five applications, by CPU usage. Needs a metrics server.'),
  }),
  disruptionBudgets: z.strictObject({
    enabled: z.boolean().default(true).describe('Lets a drained node evict only one pod of an application at a time.'),
  }),
  nodeSelector: z.record(Text, Text).default({}).describe('Labels of the nodes that the pods may run on.'),
  tolerations: z.array(Toleration).default([]).describe('Tolerations of all pods.'),
  affinity: z
    .strictObject({
      nodeAffinity: z.looseObject({}).optional(),
      podAffinity: z.looseObject({}).optional(),
      podAntiAffinity: z.looseObject({}).optional(),
    })
    .default({})
    .describe('Affinity of all pods.'),
  priorityClassName: Text.default('').describe('Priority class of all pods.'),
  labels: z.record(Text, Text).default({}).describe('Labels of all objects and pods, such as team: payments.'),
  annotations: z.record(Text, Text).default({}).describe('Annotations of all objects and pods.'),
  settings: z
    .strictObject(Object.fromEntries(settings.map(([name, schema]) => [name, schema.optional()])))
    .prefault(settingsOf('base', 'overlays/sandbox'))
    .describe(
      'Variables of every process, as text: docs/reference/variables.md. ALLOW_DEMO_CREDENTIALS accepts the documented credentials of the fixtures.',
    ),
  secrets: z.strictObject({
    existing: Text.default('').describe(
      'Name of your Secret with ESTATE_TOKEN, CREDENTIAL_PEPPER (32 characters or more each), PASSWORD_OF_REDIS and PASSWORD_OF_KAFKA. Empty: the chart makes one with random values, and keeps it.',
    ),
    environment: Text.default('').describe('Name of your Secret with more variables of every process, such as OTEL_EXPORTER_OTLP_HEADERS.'),
    files: Text.default('').describe(
      'Name of your Secret with files for settings such as KAFKA_SASL_PASSWORD_FILE: /files/kafka-password. Its keys are the names of the files in /files.',
    ),
  }),
  redis: z.strictObject({
    external: Text.regex(/^$|^(cluster:)?rediss?:\/\/[^/]/)
      .default('')
      .describe('Address of your Redis, such as rediss://team-a@redis.example.com:6380. Empty: the chart runs one.'),
    image: Text.min(1).default(redis.container.image),
    resources: Resources.default({}).describe('Replaces single resources of the Redis of the chart.'),
    storage: Quantity.default(redis.storage),
  }),
  kafka: z.strictObject({
    external: Text.regex(/^$|^[^\s:/]+:\d{1,5}(,[^\s:/]+:\d{1,5})*$/)
      .default('')
      .describe('Your brokers as host:port, separated by commas. Empty: the chart runs one.'),
    image: Text.min(1).default(kafka.container.image),
    resources: Resources.default({}).describe('Replaces single resources of the Kafka of the chart.'),
    storage: Quantity.default(kafka.storage),
  }),
  persistence: z.strictObject({
    enabled: z.boolean().default(true).describe('Volumes for Redis and Kafka. Without them, all data is lost when a pod is replaced.'),
    storageClass: Text.default('').describe('Empty: the default class of the cluster.'),
  }),
  host: Text.regex(/^$|^[a-z0-9.-]+$/)
    .default('')
    .describe('Name of the gateway for clients outside, such as estate.example.com.'),
  ingress: z.strictObject({
    enabled: z.boolean().default(false).describe('Needs host.'),
    className: Text.default(''),
    annotations: z.record(Text, Text).default({}),
    tlsSecret: Text.default('').describe('Name of the Secret with the certificate of the host.'),
  }),
  httpRoute: z.strictObject({
    enabled: z.boolean().default(false).describe('A route of the Gateway API. Needs host and parentRefs.'),
    parentRefs: z
      .array(z.strictObject({ name: Text, namespace: Text.optional(), sectionName: Text.optional() }))
      .default([])
      .describe('Gateways of the cluster, such as { name: public, namespace: gateways }.'),
  }),
  service: z.strictObject({
    type: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer']).default('ClusterIP').describe('Type of the Service gateway.'),
  }),
  webhooks: z.strictObject({
    allow: Text.default('').describe(
      'Addresses that registered webhooks may have, such as private. They are added to OUTBOUND_ALLOW in settings.',
    ),
  }),
  swaps: z
    .strictObject(Object.fromEntries(swappableNames.map((name) => [name, Text.regex(/^$|^https?:\/\//).optional()])))
    .default({})
    .describe(
      'Addresses of real systems, such as payment-hub: https://payment-hub.example.com. Only the swapped application can connect to them. Empty: rehearsals name the address, and OUTBOUND_ALLOW in settings permits it.',
    ),
  networkPolicies: z.strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe('Denies all connections except the calls of the flows. Needs a network plugin that enforces policies.'),
    egress: z
      .strictObject(Object.fromEntries(deployments.map((name) => [name, z.array(Network).optional()])))
      .default({})
      .describe('Networks that a process may connect to, such as gateway: [10.20.0.0/16].'),
  }),
  monitoring: z.strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe('A PodMonitor of the Prometheus Operator, and a ConfigMap with a dashboard for the sidecar of Grafana.'),
    interval: Text.regex(/^\d+(s|m)$/).default('30s'),
    labels: z.record(Text, Text).default({}).describe('Labels that Prometheus selects PodMonitors with, such as release: prometheus.'),
    namespaces: z
      .record(Text, Text)
      .default({ 'kubernetes.io/metadata.name': 'monitoring' })
      .describe('Labels of the namespaces that the network policies let scrape.'),
    credential: z
      .strictObject({ secret: Text.default(''), key: Text.min(1).default('token') })
      .prefault({})
      .describe(
        'Your Secret with a credential of the control plane, for the metrics of the gateway. Empty: only the applications are scraped.',
      ),
  }),
  test: z.strictObject({
    enabled: z.boolean().default(true).describe('`helm test` buys, moves the clock and verifies, in a separate rehearsal.'),
    credentials: Text.default('').describe(
      'Name of your Secret with ESTATE_BEARER_TOKEN, ESTATE_API_KEY and ESTATE_ADMIN_TOKEN, if the fixtures have other credentials.',
    ),
  }),
  global: z
    .looseObject({
      imageRegistry: Text.regex(/^$|^[a-z0-9][\w./:-]*$/)
        .default('')
        .describe('Registry of all images, such as mirror.example.com. It takes the place of the registry in their names.'),
    })
    .optional(),
});

interface Schema {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Members with defaults are optional, because users give a part of the values. */
const schema = z.toJSONSchema(values, { target: 'draft-7', io: 'input', unrepresentable: 'any' });

const comment = (text: string): readonly string[] => (text.match(/.{1,108}(?: |$)/g) ?? []).map((line) => `# ${line.trimEnd()}`);

function linesOf({ properties = {} }: Schema): readonly string[] {
  return Object.entries(properties).flatMap(([name, member]) => {
    const above = member.description === undefined ? [] : comment(member.description);
    if (member.default !== undefined)
      return [
        ...above,
        ...stringify({ [name]: member.default })
          .trimEnd()
          .split('\n'),
      ];
    if (member.properties === undefined || Object.keys(member.properties).length === 0) return [];
    return [...above, `${name}:`, ...linesOf(member).map((line) => `  ${line}`)];
  });
}

export const valuesSchema = (): string => `${JSON.stringify(schema, null, 2)}\n`;
export const valuesYaml = (): string => `# Written by npm run docs from helm/values.ts.\n${linesOf(schema as Schema).join('\n')}\n`;
