import { inOneLine } from '../../shared/domain/printable.ts';
import { apis, applications } from './catalog.ts';

const OTHERS: Readonly<Record<string, string>> = { client: 'Client', gateway: 'Gateway' };

export const applicationTitle = (id: string): string => applications[id] ?? OTHERS[id] ?? inOneLine(id, 40);

/** `Confirm Order`; the name of an event or of a timer. */
export const apiTitle = (api: string): string =>
  apis[api]?.name ?? inOneLine(api.replace(/^event:/, '').replace(/^due:/, 'timer '), 80).replace(/-api$/, '');
