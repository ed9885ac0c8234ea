import { apis } from '../../shared/catalog/apis.ts';
import type { ControlOperation } from '../../shared/catalog/control/define-operation.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { bodyLimit } from '../../shared/contract/body-limit.ts';

/** An API or an operation of the control plane, as a client calls it with any body. */
export interface Target {
  readonly name: string;
  readonly method: ApiDefinition['method'];
  readonly template: string;
  /** The template with parameters that name nothing. */
  readonly path: string;
  readonly parameters: readonly string[];
  readonly as: 'bearer' | 'api-key' | 'admin' | 'none';
  /** Whether its lists have no limit. */
  readonly hasLargeBody?: boolean;
  /** The most bytes of a body. */
  readonly most: number;
}

type Declared = Pick<ApiDefinition, 'method' | 'path' | 'query' | 'request'> & Partial<Pick<ApiDefinition, 'auth'>>;

const targetOf = (name: string, declared: Declared, as: Target['as']): Target => {
  const { method, path, query } = declared;
  const parameters = Object.keys(query.shape);
  return { name, method, template: path, path: path.replaceAll(/\{\w+\}/g, 'nothing'), parameters, as, most: bodyLimit(declared) };
};

export const targets: readonly Target[] = [
  ...(Object.values(apis) as unknown as ApiDefinition[]).map((api) =>
    targetOf(api.name, api, api.auth === 'signature' ? 'none' : api.auth),
  ),
  ...(Object.values(controlOperations) as readonly ControlOperation[]).map((operation) => ({
    ...targetOf(`${operation.method} ${operation.path}`, operation, 'admin'),
    hasLargeBody: operation.body === 'large',
  })),
];

export const targetsWithBody = targets.filter(({ method }) => method === 'POST' || method === 'PUT');
