import { apis, applications } from './catalog.ts';

export const applicationTitle = (id: string): string => applications[id] ?? (id === 'client' ? 'Client' : id);

/** `Confirm Order`; the name of an event or of a timer. */
export const apiTitle = (api: string): string =>
  apis[api]?.name ??
  api
    .replace(/^event:/, '')
    .replace(/^due:/, 'timer ')
    .replace(/-api$/, '');
