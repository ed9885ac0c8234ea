import { type ParsedUrlQuery, parse } from 'node:querystring';

/** The query of an address, with all its parameters: the address is short, and a parameter that is left out would not be refused. */
export const queryOf = (target: string, path: string): ParsedUrlQuery => parse(target.slice(path.length + 1), '&', '=', { maxKeys: 0 });
