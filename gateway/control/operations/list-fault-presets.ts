import { faultPresets } from '../../../shared/catalog/simulation/fault-presets.ts';
import { listFaultPresets as operation } from '../../../shared/catalog/simulation/operations/faults.ts';
import { operateOnRehearsals } from '../operate.ts';

export const listFaultPresets = operateOnRehearsals(operation)(async () => ({ items: [...faultPresets] }));
