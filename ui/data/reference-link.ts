import type { Api } from './catalog.ts';
import { estateLink } from './route.ts';

/** The place of an API in the reference. */
export const referenceLink = ({ application, method, path }: Pick<Api, 'application' | 'method' | 'path'>): string =>
  `${estateLink('reference', 'api')}#tag/${application}/${method}${path}`;

/** The section of a variable that configures the estate. */
export const settingLink = (variable: string): string => `${estateLink('reference', 'settings')}#${variable}`;

/** The section of a problem, by its code. */
export const problemLink = (code: string): string => `${estateLink('reference', 'problems')}#${encodeURIComponent(code)}`;
