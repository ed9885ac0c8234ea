import { control, type Output } from '../data/control.ts';
import { act, faults, readFaults } from '../data/rehearsal.ts';

export type FaultPreset = Output<'list-fault-presets'>['items'][number];
export type SetFault = Output<'list-faults'>['items'][number];

export const isSet = (name: string): boolean => faults.value?.some((fault) => fault.name === name) === true;

/** Sets the fault of a preset. */
export const setPreset = ({ id, title, rule }: FaultPreset): Promise<void> =>
  act(`fault ${id}`, async () => {
    await control('put-fault', { params: { name: id }, body: rule });
    await readFaults();
    return `Set: ${title}.`;
  });

export const dropFault = (name: string, title = name): Promise<void> =>
  act(`fault ${name}`, async () => {
    await control('delete-fault', { params: { name } });
    await readFaults();
    return `Off: ${title}.`;
  });

export const dropAllFaults = (): Promise<void> =>
  act('faults', async () => {
    await control('delete-faults');
    await readFaults();
    return 'All faults are off; what they withheld is sent.';
  });
