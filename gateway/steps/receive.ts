import { readBody } from '../../shared/http/request-body.ts';
import type { WorldView } from '../../shared/store/ports/directory.ts';
import type { Exchange } from '../facts.ts';
import { identify, type RequestIds } from '../request-ids.ts';

export interface Identified {
  readonly ids: RequestIds;
}

/** Gives the request its ids. Once it has entered a rehearsal, their time is the rehearsal's time. */
export const identifyRequest = ({ request, view }: Exchange & { readonly view?: WorldView | undefined }): Identified => ({
  ids: identify(request.headers, view?.now ?? Date.now()),
});

export interface Received {
  readonly body: Buffer | undefined;
}

/** @throws Problem payload_too_large; ClientGone */
export const receiveBody = async ({ request, response }: Exchange): Promise<Received> => ({ body: await readBody(request, response) });
