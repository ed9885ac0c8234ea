import { parseAllDocuments } from 'yaml';

/** The members of a container that tests read. */
export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
  }[];
  readonly envFrom?: readonly { readonly configMapRef?: { readonly name: string } }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
  readonly securityContext?: unknown;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly [probe: `${string}Probe`]: { readonly httpGet?: { readonly path: string; readonly port: string } } | undefined;
}

export interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly terminationGracePeriodSeconds?: number;
    readonly [member: string]: unknown;
  };
}

export interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
}

interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly { readonly port: number; readonly protocol?: string }[];
}

export interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] }[];
}

/** A Kubernetes object of any kind, with the members that tests read. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: PodTemplate;
    /** Of a pod. */
    readonly containers?: readonly Container[];
    /** The labels for a service; a selector object for all other kinds. */
    readonly selector?: Readonly<Record<string, unknown>>;
    readonly podSelector?: Selector;
    readonly policyTypes?: readonly string[];
    readonly ingress?: readonly Rule[];
    readonly egress?: readonly Rule[];
    readonly ports?: readonly { readonly name: string; readonly port: number; readonly targetPort: string }[];
    readonly scaleTargetRef?: { readonly kind: string; readonly name: string };
    readonly hard?: Readonly<Record<string, string>>;
    readonly strategy?: unknown;
    readonly clusterIP?: string;
  };
}

/** The objects of a YAML stream. @throws Error when it is not YAML */
export function objectsIn(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    const value: unknown = document.toJS();
    return value === null ? [] : [value as KubernetesObject];
  });
}

type Validate = (this: unknown) => void;

/**
 * Schema violations of an object: missing members, wrong types, values out of bounds, and unknown members. The schemas themselves
 * allow unknown members, so a misspelt probe would pass. The validation therefore reads through a proxy, and members that it never
 * reads are unknown.
 */
export async function schemaComplaints(object: KubernetesObject): Promise<readonly string[]> {
  const module = (await import(`kubernetes-models/${object.apiVersion}`)) as Record<
    string,
    { prototype: { validate: Validate } } | undefined
  >;
  const model = module[object.kind];
  if (model === undefined) return [`${object.apiVersion} has no kind ${object.kind}`];
  const asked = new Set<string>();
  const complaints: string[] = [];
  try {
    model.prototype.validate.call(noting(object, '', asked));
  } catch (error) {
    complaints.push((error as Error).message);
  }
  return [
    ...complaints,
    ...pathsOf(object, '')
      .filter((path) => !asked.has(path))
      .map((path) => `${path} is not known`),
  ].map((complaint) => `${object.kind} ${object.metadata.name}: ${complaint}`);
}

/** A proxy of the value; `asked` receives the path of every member that is read. */
function noting(value: object, path: string, asked: Set<string>): object {
  return new Proxy(value, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof key !== 'string') return member;
      asked.add(`${path}/${key}`);
      return typeof member === 'object' && member !== null ? noting(member, `${path}/${key}`, asked) : member;
    },
  });
}

function pathsOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [`${path}/${key}`, ...pathsOf(member, `${path}/${key}`)]);
}

export function selects(selector: Selector, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'In') throw new Error(`a selector with the operator ${operator} is not understood here`);
      return values.includes(labels[key] ?? '');
    })
  );
}

/** The environment of a container: first the maps, then the variables in order, and each may refer to earlier ones. */
export function environmentOf(container: Container, objects: readonly KubernetesObject[]): Readonly<Record<string, string>> {
  const dataOf = (kind: string, name: string): Readonly<Record<string, string>> => {
    const data = objects.find((object) => object.kind === kind && object.metadata.name === name)?.data;
    if (data === undefined) throw new Error(`there is no ${kind} ${name}`);
    return data;
  };
  const environment: Record<string, string> = {};
  for (const { configMapRef } of container.envFrom ?? []) {
    if (configMapRef) Object.assign(environment, dataOf('ConfigMap', configMapRef.name));
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    const secret = valueFrom?.secretKeyRef;
    const encoded = secret && dataOf('Secret', secret.name)[secret.key];
    if (secret && encoded === undefined) throw new Error(`the secret ${secret.name} has no ${secret.key}`);
    const given = encoded === undefined ? (value ?? '') : Buffer.from(encoded, 'base64').toString();
    environment[name] = given.replaceAll(/\$\(([A-Z_]+)\)/g, (reference, other: string) => environment[other] ?? reference);
  }
  return environment;
}

export function quantity(text: string): number {
  const [, number = '', unit = ''] = /^([\d.]+)(m|Ki|Mi|Gi)?$/.exec(text) ?? [];
  if (number === '') throw new Error(`${text} is not a quantity that this test reads`);
  return Number(number) * ({ m: 0.001, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 }[unit] ?? 1);
}
