import type { FieldError } from '../../shared/catalog/problems.ts';
import { mistake, type Path } from './mistake.ts';

/** The members that a schema has left out of a value. */
export function* undeclaredMembers(path: Path, value: unknown, declared: unknown): Generator<FieldError, void> {
  if (typeof value !== 'object' || value === null || typeof declared !== 'object' || declared === null) return;
  for (const [key, member] of Object.entries(value)) {
    const name = Array.isArray(value) ? Number(key) : key;
    if (Object.hasOwn(declared, key)) yield* undeclaredMembers([...path, name], member, (declared as Record<string, unknown>)[key]);
    else yield mistake([...path, name], 'unknown_member', 'This member is unknown.');
  }
}
