import { StartError } from './start-error.ts';

/** Turns the error of a server that cannot listen into one sentence that names the variable to change: of the port, or of the address. */
export const explainListenError =
  (variable: string, host = 'HOST') =>
  (error: unknown): never => {
    const { code, port, address } = error as { code?: string; port?: number; address?: string };
    if (code === 'EADDRINUSE') throw new StartError(`Port ${port} is taken; free it, or choose another one with ${variable}.`, 1);
    if (code === 'EACCES') throw new StartError(`Port ${port} may not be opened by this user; choose another one with ${variable}.`, 1);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartError(`This machine does not have the address ${address ?? `in ${host}`}; choose another one with ${host}.`, 1);
    throw error;
  };
