import type { FaultInput } from '../../shared/catalog/control/faults.ts';
import { readStruck } from '../../shared/control/faults.ts';
import type { FaultRule } from '../../shared/store/ports/faults.ts';

export const describeFault = ({ name, json, hits, struck }: FaultRule) => ({
  name,
  ...(JSON.parse(json) as FaultInput),
  hits,
  struck: struck.map(readStruck),
});
