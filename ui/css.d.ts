/** The bundler writes all sheets that a page imports to one file. */
declare module '*.css';
