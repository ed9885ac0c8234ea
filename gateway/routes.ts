import type { ApiDefinition } from '../shared/catalog/define.ts';

interface Node {
  readonly literals: Map<string, Node>;
  parameter: Node | undefined;
  readonly apis: Map<string, ApiDefinition>;
}

export interface Routes {
  /** @returns the APIs at a path by method, HEAD beside GET; undefined for a path that no public API has */
  at(path: string): ReadonlyMap<string, ApiDefinition> | undefined;
}

const node = (): Node => ({ literals: new Map(), parameter: undefined, apis: new Map() });

/** The gateway's routes: the catalog's public APIs and nothing else. Matching is on the path as sent; nothing is decoded. */
export function routesOf(apis: readonly ApiDefinition[]): Routes {
  const root = node();
  for (const api of apis) {
    if (api.audience !== 'public') continue;
    const end = segments(api.path).reduce(child, root);
    end.apis.set(api.method, api);
    if (api.method === 'GET') end.apis.set('HEAD', api);
  }
  return { at: (path) => find(root, segments(path), 0)?.apis };
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

/** A literal segment wins over a parameter; where it leads nowhere, the parameter is tried. */
function find(from: Node, path: readonly string[], depth: number): Node | undefined {
  const segment = path[depth];
  if (segment === undefined) return from.apis.size > 0 ? from : undefined;
  const literal = from.literals.get(segment);
  const found = literal && find(literal, path, depth + 1);
  if (found) return found;
  return from.parameter && segment !== '' ? find(from.parameter, path, depth + 1) : undefined;
}
