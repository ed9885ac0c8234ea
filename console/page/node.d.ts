/** Modules of Node that the catalog's files import. Pages import only types from there and get nothing of Node. */
declare module 'node:*';
