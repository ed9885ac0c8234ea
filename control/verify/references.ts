import type { Application } from '../../shared/catalog/applications.ts';
import type { ReferenceRecord } from '../../shared/handlers/references.ts';
import { findings, type InvariantResult } from './invariant.ts';
import type { WorldRecords } from './world-records.ts';

/** The types of objects that clients name, with their owners. */
const OWNERS = {
  basket: 'ecommerce-platform',
  customer: 'crm',
  order: 'oms',
  payment: 'payment-hub',
  return: 'fms',
} as const satisfies Readonly<Record<string, Application>>;

interface Named {
  readonly id: string;
  readonly reference?: { readonly source: string; readonly id: string };
}

export function references(world: WorldRecords): InvariantResult {
  const { check, result } = findings('references');
  for (const [type, owner] of Object.entries(OWNERS)) {
    // Real systems have the references of their objects.
    if (world.swapped.has(owner)) continue;
    const records = new Map(world.records<ReferenceRecord>(owner, 'references').map((record) => [record.id, record]));
    const named = new Map<string, string>();
    const ids = new Set<string>();
    for (const { id, reference } of world.of<Named>(type)) {
      ids.add(id);
      if (!reference) continue;
      const key = `${type} ${reference.source} ${reference.id}`;
      const other = named.get(key);
      check(other === undefined, `${type}/${id}: has the reference "${reference.id}" of "${reference.source}", as ${type}/${other} has`);
      named.set(key, id);
      const found = records.get(key)?.objectId;
      check(found === id, `${type}/${id}: its reference "${reference.id}" of "${reference.source}" finds ${found ?? 'nothing'}`);
    }
    for (const { id: key, objectId } of records.values()) {
      if (!key.startsWith(`${type} `) || objectId === undefined || named.get(key) === objectId) continue;
      // A return that is being created is not an object yet, and one that the OMS refused never was.
      check(
        !ids.has(objectId) && type === 'return',
        `${type}/${objectId}: the reference ${key.slice(type.length + 1)} finds it, and it has another one or none`,
      );
    }
  }
  return result();
}
