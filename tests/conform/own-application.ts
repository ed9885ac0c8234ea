import { registeredApplications } from '../../estate/registry.ts';
import type { Application } from '../../shared/catalog/applications.ts';
import type { Method } from '../../shared/catalog/define.ts';
import { startInside } from '../support/inside.ts';
import { serving } from './serving.ts';

/** Serves an application of the estate as a real system, without the headers of the estate. @param others applications that it calls */
export async function serveOwn(application: Application, ...others: readonly Application[]) {
  const inside = await startInside(
    ...registeredApplications.filter(({ service }) => [application, ...others].includes(service.application)),
  );
  const server = await serving(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { 'idempotency-key': key, 'content-type': type, 'x-calling-application': from = '' } = request.headers;
    const headers = { ...(key !== undefined && { 'idempotency-key': String(key) }), ...(type !== undefined && { 'content-type': type }) };
    const sent = { method: request.method as Method, path: request.url ?? '', headers, body: body === '' ? undefined : body };
    const reply = await inside.forward(application, String(from), sent);
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body));
  });
  return {
    url: server.url,
    async [Symbol.asyncDispose](): Promise<void> {
      await server[Symbol.asyncDispose]();
      await inside[Symbol.asyncDispose]();
    },
  };
}
