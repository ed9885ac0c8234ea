import { faultPresets } from '../../shared/catalog/control/fault-presets.ts';
import { listFaultPresets as operation } from '../../shared/catalog/control/operations/faults.ts';
import { operateOnRehearsals } from '../operate.ts';

export const listFaultPresets = operateOnRehearsals(operation)(async () => ({ items: [...faultPresets] }));
