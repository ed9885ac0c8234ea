import { z } from 'zod';
import { applicationNames } from '../catalog/applications.ts';
import { type SwappableApplication, swappableNames, whyNotSwappable } from '../catalog/swap.ts';
import { isMisspelt } from '../domain/nearest-word.ts';

const SETTINGS = {
  URL: (name: string) => `Address of the real system that takes the place of ${name} in new rehearsals.`,
  MODE: (name: string) => `How the real system takes the place of ${name}. Default: real.`,
  HEADERS_FILE: (name: string) => `File with the headers for the real system of ${name}, one \`Name: value\` per line.`,
  TIMEOUT_MS: (name: string) => `Wall time limit for an answer of the real system of ${name}. Default: 5000.`,
  ANSWERS: (name: string) => `Folder with the kept answers of the real system of ${name}, for the mode kept: a file per operation.`,
  KEEP: (name: string) => `true: new rehearsals keep the answers of the real system of ${name}. Default: false.`,
  SHADOW: (name: string) => `In the mode shadow, reads: the real system of ${name} gets queries only. Default: all.`,
  COMPARE: (name: string) => `In the mode shadow: members whose texts and times are compared for ${name}, too, with commas between them.`,
  EVENTS: (name: string) => `none: the real system of ${name} gets no events from the estate. Default: post.`,
} as const;
export type SwapSetting = keyof typeof SETTINGS;
export const swapSettings = Object.keys(SETTINGS) as readonly SwapSetting[];

/** The variable of a swap: `SWAP_PAYMENT_HUB_URL`. */
export const swapVariable = (application: SwappableApplication, setting: SwapSetting): string =>
  `SWAP_${application.toUpperCase().replaceAll('-', '_')}_${setting}`;

export const swapVariables = Object.fromEntries(
  swappableNames.flatMap((application) =>
    swapSettings.map((setting) => [swapVariable(application, setting), z.string().optional().describe(SETTINGS[setting](application))]),
  ),
);

/** The forms of the names, for a sentence about an unknown one. */
const swapVariableForms = swapSettings.map((setting) => `SWAP_<APPLICATION>_${setting}`).join(', ');

/** Whether a variable belongs to a swap. */
export const isOfSwap = (name: string): boolean => Object.hasOwn(swapVariables, name);

/** Whether a name has the form of these variables: it names an application or a setting. */
export const isSwapName = (name: string): boolean =>
  name.startsWith('SWAP_') &&
  (applicationNames.some((one) => name.startsWith(`SWAP_${one.toUpperCase().replaceAll('-', '_')}_`)) ||
    swapSettings.some((setting) => name.endsWith(`_${setting}`)));

/** A sentence about a variable with SWAP_ that is unknown. */
export function unknownSwapVariable(name: string): string {
  const [, words = ''] = new RegExp(`^SWAP_(.+)_(?:${swapSettings.join('|')})$`).exec(name) ?? [];
  const application = words.toLowerCase().replaceAll('_', '-');
  const isKnown = applicationNames.some((known) => known === application);
  const meant = isKnown ? undefined : Object.keys(swapVariables).find((known) => isMisspelt(name, known));
  if (meant !== undefined) return `${name} is not a variable of the estate; did you mean ${meant}? Correct or remove it.`;
  const reason = words === '' ? `variables with SWAP_ are ${swapVariableForms}` : whyNotSwappable(application);
  return `${name} is not a variable of the estate; ${reason.replace(/^The/, 'the').replace(/\.$/, '')}. Correct or remove it.`;
}
