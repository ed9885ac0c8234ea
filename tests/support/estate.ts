import type { OwnData } from '../../shared/catalog/control/own-data.ts';
import type { ProgressionInput } from '../../shared/catalog/control/progression.ts';
import type { SwapsInput } from './open-rehearsal.ts';
import { rehearsalAt } from './steps/rehearsal-at.ts';

/** Addresses of the estate that the test run started. */
export const estate = JSON.parse(process.env['ESTATE'] ?? '{}') as {
  gateway: string;
  touchpoint: string;
  portal: string;
  applications: Record<string, string>;
  /** Where the worlds are, with STORE=redis. */
  redis?: string;
};

/** A rehearsal for one test, at the estate of the test run. */
export const newRehearsal = (progression?: ProgressionInput, data?: OwnData, swap?: SwapsInput) =>
  rehearsalAt(estate.gateway, progression, data, swap);

export type TestRehearsal = Awaited<ReturnType<typeof newRehearsal>>;

export { eventually } from './eventually.ts';
export { ADMIN } from './open-rehearsal.ts';
export { ADDRESS } from './steps/order.ts';
