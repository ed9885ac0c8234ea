import type { Method } from '../catalog/define.ts';
import { Problem } from '../catalog/problems.ts';

/** Method and path of an API or a control operation, as the catalog declares them: `GET /orders/{id}`. */
interface Route {
  readonly method: Method;
  readonly path: string;
}

interface Node<R> {
  readonly literals: Map<string, Node<R>>;
  parameter: Node<R> | undefined;
  readonly routes: Map<string, R>;
}

export interface RouteTable<R> {
  /** HEAD finds the route of GET. */
  find(method: string, path: string): R | undefined;
  /** @returns the methods of the routes at a path */
  methodsAt(path: string): readonly string[];
}

const node = <R>(): Node<R> => ({ literals: new Map(), parameter: undefined, routes: new Map() });

/**
 * Routes by method and path. Paths are matched as they were sent; nothing is decoded, and a parameter is never empty.
 * @param idsMayEqualLiterals whether a path that matches literal segments can also match a parameter in their place, for methods
 * that the literal path lacks
 */
export function routeTable<R extends Route>(routes: Iterable<R>, { idsMayEqualLiterals = true } = {}): RouteTable<R> {
  const root = node<R>();
  for (const route of routes) {
    const end = segments(route.path).reduce(child, root);
    end.routes.set(route.method, route);
    if (route.method === 'GET') end.routes.set('HEAD', route);
  }
  const nodesAt = (path: string): readonly Node<R>[] => {
    const found = matches(root, segments(path), 0);
    return idsMayEqualLiterals ? found : found.slice(0, 1);
  };
  return {
    find: (method, path) =>
      nodesAt(path)
        .find((found) => found.routes.has(method))
        ?.routes.get(method),
    methodsAt: (path) => [...new Set(nodesAt(path).flatMap((found) => [...found.routes.keys()]))],
  };
}

/** The decoded parameters of a path at its route. @throws Problem malformed_request when a parameter cannot be decoded */
export function pathParameters({ path: template }: Route, path: string): Record<string, string> {
  const sent = segments(path);
  const parameters: Record<string, string> = {};
  for (const [index, segment] of segments(template).entries()) {
    if (isParameter(segment)) parameters[segment.slice(1, -1)] = decoded(sent[index] ?? '');
  }
  return parameters;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Problem('malformed_request', 'The address of the request cannot be decoded.');
  }
}

const segments = (path: string): readonly string[] => path.slice(1).split('/');

const isParameter = (segment: string): boolean => segment.startsWith('{');

function child<R>(parent: Node<R>, segment: string): Node<R> {
  if (isParameter(segment)) {
    parent.parameter ??= node();
    return parent.parameter;
  }
  const found = parent.literals.get(segment) ?? node();
  parent.literals.set(segment, found);
  return found;
}

/** The nodes that a path matches, literal segments before parameters. */
function matches<R>(from: Node<R>, path: readonly string[], depth: number): readonly Node<R>[] {
  const segment = path[depth];
  if (segment === undefined) return from.routes.size > 0 ? [from] : [];
  const literal = from.literals.get(segment);
  const parameter = segment === '' ? undefined : from.parameter;
  const first = literal ? matches(literal, path, depth + 1) : [];
  const second = parameter ? matches(parameter, path, depth + 1) : [];
  return second.length === 0 ? first : first.length === 0 ? second : [...first, ...second];
}
