import { createHttpTransport } from '../../shared/transport/http-transport.ts';
import { addressOf, transportSuite } from './transport-suite.ts';

transportSuite('over HTTP', (reach) => createHttpTransport({ addressOf: addressOf(reach), token: reach.token, agent: reach.agent }));
