import { createInProcessTransport } from '../../shared/transport/in-process-transport.ts';
import { addressOf, transportSuite } from './transport-suite.ts';

transportSuite('within a process', (reach) =>
  createInProcessTransport({ endpointOf: () => reach.running()?.endpoint, addressOf: addressOf(reach), token: reach.token }),
);
