/** Modules of Node that files of the catalog import. The bundler evaluates these files; a page gets nothing of Node. */
declare module 'node:*';
