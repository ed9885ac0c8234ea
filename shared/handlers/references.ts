import { z } from 'zod';
import { conflictingRepeat, Problem, type ProblemContext } from '../catalog/problems.ts';
import type { Reference } from '../catalog/shapes.ts';
import { canonicalJson } from '../domain/canonical-json.ts';
import { digest } from '../domain/ids.ts';
import { type AnyCollection, defineCollection, type ShapeOf } from '../store/collections.ts';
import type { UnitOfWork } from '../work/unit-of-work.ts';

/**
 * The references that clients have given to objects of an application, by type, source and id. The first commit of a call writes the
 * record, so of two concurrent calls with one reference, one runs again and finds the record of the other.
 */
const ReferenceRecord = z.object({
  id: z.string(),
  version: z.int(),
  /** The object. Absent while a call is creating it. */
  objectId: z.string().optional(),
  /** What that call creates it from: the basket of an order. */
  source: z.string().optional(),
  /** Digests of the members of the call. */
  content: z.record(z.string(), z.string()),
  /** Whether the call was refused after its first commit. Any call may then take the reference. */
  released: z.literal(true).optional(),
});
export type ReferenceRecord = z.output<typeof ReferenceRecord>;

export const references = defineCollection({ name: 'references', schema: ReferenceRecord });

type Named = z.output<typeof Reference>;

/** The types of objects that a client may name. */
export type NamedType = 'basket' | 'customer' | 'order' | 'payment' | 'return';

/** The body of a call that creates an object. */
export type NamingBody = object & { readonly reference?: Named };

/** Source and id have no blanks, so different names have different keys. */
const keyOf = (type: NamedType, { source, id }: Named): string => `${type} ${source} ${id}`;

export async function findReference(work: UnitOfWork, type: NamedType, reference: Named | undefined): Promise<ReferenceRecord | undefined> {
  const record = reference && (await work.get(references, keyOf(type, reference)));
  return record?.released ? undefined : record;
}

/** How often a reference was taken or released. Calls that take it one after the other get different ids for their objects by this number. */
export const timesTaken = async (work: UnitOfWork, type: NamedType, reference: Named): Promise<number> =>
  (await work.get(references, keyOf(type, reference)))?.version ?? 0;

/**
 * The object that an earlier call with the reference created in one commit.
 * @throws Problem `conflicting_repeat` for a call whose content differs from that call
 */
export async function findNamed<C extends AnyCollection>(
  work: UnitOfWork,
  type: NamedType,
  of: C,
  body: NamingBody,
): Promise<ShapeOf<C> | undefined> {
  const record = await findReference(work, type, body.reference);
  const existing = record?.objectId === undefined ? undefined : await work.get(of, record.objectId);
  if (record && existing) refuseOtherRequest(type, record, body, { object: existing });
  return existing;
}

/**
 * Runs a call that found no object with its reference. Its refusal may rest on the object that a concurrent call with the reference has created
 * since. Then the call runs again, and finds this object.
 */
export async function refusingOnlyWhileFree<T>(work: UnitOfWork, type: NamedType, body: NamingBody, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Problem) || !body.reference) throw error;
    const id = keyOf(type, body.reference);
    const read = await work.get(references, id);
    if (!read || read.released) await work.ensureCurrent(references, { id, version: read?.version ?? 0 });
    throw error;
  }
}

/** Binds the reference of a call to its object, or to what the object is made from. Without a reference nothing happens. */
export function takeReference(
  work: UnitOfWork,
  type: NamedType,
  body: NamingBody,
  owner: Pick<ReferenceRecord, 'objectId' | 'source'>,
): void {
  const { reference } = body;
  if (reference) work.put(references, { id: keyOf(type, reference), ...owner, content: contentOf(body) });
}

/** Completes the record of a call that due work has finished, or gives the reference up for one that created nothing. */
export function endReference(work: UnitOfWork, record: ReferenceRecord, objectId: string | undefined): void {
  work.put(references, { ...record, objectId, source: undefined, released: objectId === undefined ? true : undefined });
}

/** The records of initial data. They have no content, so a call that creates an object is refused, and the refusal names the object. */
export const seededReferences = (
  type: NamedType,
  rows: readonly { readonly id: string; readonly reference?: Named | undefined }[],
): ReferenceRecord[] =>
  rows.flatMap(({ id, reference }) => (reference ? [{ id: keyOf(type, reference), version: 1, objectId: id, content: {} }] : []));

const DIGITS = 16;

/** A digest of each member, so that a refusal can name the members that differ. */
const contentOf = ({ reference: _reference, ...members }: NamingBody): ReferenceRecord['content'] =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, digest(canonicalJson(value)).slice(0, DIGITS)]],
    ),
  );

/**
 * @param object the object of the reference, as answers show it
 * @throws Problem `conflicting_repeat` for a call whose content differs from the call that took the reference
 */
export function refuseOtherRequest(
  type: NamedType,
  { content, objectId }: ReferenceRecord,
  body: NamingBody,
  { object, ...context }: ProblemContext & { readonly object?: object | undefined } = {},
): void {
  const { reference } = body;
  const asked = contentOf(body);
  const differs = [...new Set([...Object.keys(content), ...Object.keys(asked)])].filter((name) => content[name] !== asked[name]).sort();
  if (reference === undefined || differs.length === 0) return;
  const owner = objectId === undefined ? `belongs to a call that is creating a ${type}` : `names the ${type} "${objectId}"`;
  const detail = `The reference "${reference.id}" of "${reference.source}" ${owner}, and the calls differ in ${differs.join(', ')}. Repeat the call unchanged, or give the new ${type} another reference.`;
  const standing = Object.fromEntries(Object.entries(object ?? {}).filter(([name]) => differs.includes(name)));
  throw conflictingRepeat(detail, standing, { objectType: type, id: objectId, reference, differs, ...context });
}
