import { stringify } from 'yaml';
import manifest from '../package.json' with { type: 'json' };
import { dashboard } from './dashboard.ts';
import { type KubernetesObject, objectsOf } from './kustomized.ts';
import { valuesSchema, valuesYaml } from './values.ts';

export const CHART = 'helm/unified-commerce-estate';

/** Files of objects in the chart, each with the kustomization that it is written from. The templates set the values in them. */
const OBJECTS = {
  deployments: 'base',
  redis: 'components/redis',
  kafka: 'components/kafka',
  'network-policies': 'components/network-policies',
  receivers: 'components/webhooks',
  'real-system': 'components/swap',
  'disruption-budgets': 'components/disruption-budgets',
  autoscaling: 'components/autoscaling',
  'order-test': 'components/order-test',
};

const { name, version, description, keywords, license } = manifest;

const chart = {
  apiVersion: 'v2',
  name,
  description,
  type: 'application',
  version,
  appVersion: version,
  kubeVersion: '>=1.27.0-0',
  keywords,
  annotations: { licenses: license },
};

/** Helm reads YAML 1.1, where `yes` without quotes is a boolean. */
const yaml = (value: unknown): string => stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, compat: 'yaml-1.1' });
const withOrigin = (origin: string, text: string): string => `# Written by npm run docs from ${origin}.\n${text}`;
const objects = (folder: string, all: readonly KubernetesObject[]): string => withOrigin(`k8s/${folder}`, all.map(yaml).join('---\n'));

/** The files of the chart that are written from the package, from `helm/values.ts` and from `k8s/`. */
export const chartFiles = (): readonly { readonly file: string; readonly text: () => string }[] => [
  { file: `${CHART}/Chart.yaml`, text: () => withOrigin('package.json', yaml(chart)) },
  { file: `${CHART}/values.yaml`, text: valuesYaml },
  { file: `${CHART}/values.schema.json`, text: valuesSchema },
  { file: `${CHART}/objects/dashboard.json`, text: dashboard },
  ...Object.entries(OBJECTS).map(([file, folder]) => ({
    file: `${CHART}/objects/${file}.yaml`,
    text: () => objects(folder, objectsOf(folder)),
  })),
];
