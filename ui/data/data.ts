/** What every page reads. All pages import it here, so that the bundler puts it into one file. */
export { nameOf } from '../../shared/catalog/event-names.ts';
export * from './config.ts';
export * from './connection.ts';
export * from './control.ts';
export * from './curl.ts';
export * from './hop.ts';
export * from './live.ts';
export * from './reference-link.ts';
export * from './refusal.ts';
export * from './rehearsal.ts';
export * from './resource.tsx';
export * from './route.ts';
export * from './router.ts';
export * from './send.ts';
export * from './session.ts';
export * from './session-keys.ts';
export * from './stream.ts';
export * from './titles.ts';
