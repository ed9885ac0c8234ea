import type { ObjectDefinition } from '../../shared/catalog/define-object.ts';
import { objects } from '../../shared/catalog/objects.ts';

export interface Reference {
  readonly type: string;
  readonly id: string;
}

/** A long ledger names hundreds of orders. */
const MOST_RELATED = 20;

const cased = (type: string): string => type.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** `orderId` and `orderIds` refer to orders. */
const typeOfMember: ReadonlyMap<string, string> = new Map(
  objects.flatMap(({ type }) => [`${cased(type)}Id`, `${cased(type)}Ids`].map((member): [string, string] => [member, type])),
);

/** The business objects that an object refers to, without duplicates, as it names them. */
export function relatedOf({ references = {} }: ObjectDefinition, object: unknown): readonly Reference[] {
  const found = new Map<string, Reference>();
  collect(object, '');
  return [...found.values()];

  function collect(value: unknown, path: string): void {
    if (found.size >= MOST_RELATED) return;
    const type = references[path] ?? typeOfMember.get(path.slice(path.lastIndexOf('.') + 1));
    if (Array.isArray(value)) for (const entry of value) collect(entry, path);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) collect(member, path === '' ? name : `${path}.${name}`);
    } else if (type !== undefined && typeof value === 'string') found.set(`${type}/${value}`, { type, id: value });
  }
}
