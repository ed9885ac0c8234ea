/** What every page is made of. All pages import it here, so that the bundler puts it into one file. */
export * from './dialog.ts';
export * from './field.ts';
export * from './filter-field.ts';
export * from './format.ts';
export * from './icon.ts';
export * from './json-view.ts';
export * from './keyboard.ts';
export * from './list-in-use.ts';
export * from './list-place.ts';
export * from './narrow.ts';
export * from './next-focus.ts';
export * from './parts.ts';
export * from './row-window.ts';
export * from './settings-list.ts';
export * from './status-line.ts';
export * from './words.ts';
