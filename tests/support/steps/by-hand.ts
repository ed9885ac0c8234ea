import type { ProgressionInput } from '../../../shared/catalog/control/progression.ts';
import { newRehearsal } from '../estate.ts';

/** A rehearsal whose warehouse, carrier and returns move by hand, apart from the given progressions. */
export const byHand = (progression: ProgressionInput = {}) =>
  newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', ...progression });
