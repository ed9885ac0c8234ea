import type { ApiDefinition } from '../shared/catalog/define.ts';

interface Node {
  readonly literals: Map<string, Node>;
  parameter: Node | undefined;
  readonly apis: Map<string, ApiDefinition>;
}

export interface Routes {
  /** HEAD is answered where GET is. */
  find(method: string, path: string): ApiDefinition | undefined;
  /** @returns the methods of the APIs at a path */
  methodsAt(path: string): readonly string[];
}

const NOWHERE: readonly Node[] = [];

const node = (): Node => ({ literals: new Map(), parameter: undefined, apis: new Map() });

/** The routes of the public APIs. Paths are matched as they were sent; nothing is decoded, and a parameter is never empty. */
export function routesOf(apis: readonly ApiDefinition[]): Routes {
  const root = node();
  for (const api of apis) {
    if (api.audience !== 'public') continue;
    const end = segments(api.path).reduce(child, root);
    end.apis.set(api.method, api);
    if (api.method === 'GET') end.apis.set('HEAD', api);
  }
  return {
    find: (method, path) =>
      matches(root, segments(path), 0)
        .find(({ apis }) => apis.has(method))
        ?.apis.get(method),
    methodsAt: (path) => [...new Set(matches(root, segments(path), 0).flatMap(({ apis }) => [...apis.keys()]))].toSorted(),
  };
}

const segments = (path: string): readonly string[] => path.slice(1).split('/');

function child(parent: Node, segment: string): Node {
  if (segment.startsWith('{')) {
    parent.parameter ??= node();
    return parent.parameter;
  }
  const found = parent.literals.get(segment) ?? node();
  parent.literals.set(segment, found);
  return found;
}

/** The nodes that a path leads to, literal segments before parameters: an id may equal a literal segment. */
function matches(from: Node, path: readonly string[], depth: number): readonly Node[] {
  const segment = path[depth];
  if (segment === undefined) return from.apis.size > 0 ? [from] : NOWHERE;
  const literal = from.literals.get(segment);
  const parameter = segment === '' ? undefined : from.parameter;
  const first = literal ? matches(literal, path, depth + 1) : NOWHERE;
  const second = parameter ? matches(parameter, path, depth + 1) : NOWHERE;
  return second.length === 0 ? first : first.length === 0 ? second : [...first, ...second];
}
