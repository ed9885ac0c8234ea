import { swapSuite } from '../control/swap-suite.ts';
import { rehearsalAt } from '../support/steps/rehearsal-at.ts';
import { describeReplicas } from './replicas/running-replicas.ts';

describeReplicas('Swapped applications in Redis, with two gateways', {}, (estate) => {
  swapSuite((swap) => rehearsalAt(estate.gateway, undefined, undefined, swap));
});
