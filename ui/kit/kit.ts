/** What every page is made of. All pages import it here, so that the bundler puts it into one file. */
export * from './catalog.ts';
export * from './dialog.tsx';
export * from './field.tsx';
export * from './filter-field.tsx';
export * from './format.ts';
export * from './icon.tsx';
export * from './json-view.tsx';
export * from './keyboard.ts';
export * from './list-in-use.tsx';
export * from './list-place.ts';
export * from './narrow.ts';
export * from './next-focus.ts';
export * from './parts.tsx';
export * from './row-window.ts';
export * from './settings-list.tsx';
export * from './status-line.tsx';
export * from './words.tsx';
