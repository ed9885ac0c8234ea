import { randomUUID } from 'node:crypto';
import { callOfApi } from '../../../rehearsal/estate-client.ts';
import { type ApiId, apis } from '../../../shared/catalog/apis.ts';
import type { Application } from '../../../shared/catalog/applications.ts';
import type { CrashingEstate } from '../crashing-estate.ts';
import type { OpenRehearsal } from '../open-rehearsal.ts';
import { withSteps } from './rehearsal-at.ts';

type Params = Readonly<Record<string, string>>;

/** Commands of the outside world, as the control plane sends them to an application. */
const played: Readonly<Record<string, (params: Params) => readonly [application: Application, path: string, body: object]>> = {
  'play-scan': ({ id, scan }) => ['carrier-platform', `/internal/shipments/${id}/scans`, { scan }],
  'move-return-by-hand': ({ id, verb }) => ['fms', `/internal/returns/${id}/moves`, { verb }],
};

/** The steps of a story in an estate with crashes. Each call is repeated with one key until it gets a definite answer. */
export function crashSteps(estate: CrashingEstate) {
  const call = (id: ApiId, input: Parameters<typeof callOfApi>[1] = {}) => {
    const { method, path, body } = callOfApi(id, input);
    return estate.insist(apis[id].application, method, path, body, randomUUID());
  };
  const api = async (id: ApiId, input?: Parameters<typeof callOfApi>[1]) => {
    const { status, body } = await call(id, input);
    if (status >= 300) throw new Error(`${id}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const control = (id: string, { params }: { params: Params }) => {
    const [application, path, body] = played[id]?.(params) ?? [];
    if (!application || !path) throw new Error(`${id} is not played in an estate with crashes.`);
    return estate.ok(application, 'POST', path, body);
  };
  return withSteps({ api, call, control, settle: estate.settle } as unknown as OpenRehearsal);
}

export type CrashSteps = ReturnType<typeof crashSteps>;
