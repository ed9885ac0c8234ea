import type { ControlId } from '../shared/catalog/control/operations.ts';
import type { BoundOperation } from './operate.ts';
import { advanceClock } from './operations/advance-clock.ts';
import { countStockByHand } from './operations/count-stock-by-hand.ts';
import { createRehearsal } from './operations/create-rehearsal.ts';
import { deleteFault } from './operations/delete-fault.ts';
import { deleteFaults } from './operations/delete-faults.ts';
import { deleteRehearsal } from './operations/delete-rehearsal.ts';
import { deleteRun } from './operations/delete-run.ts';
import { listEvents } from './operations/list-events.ts';
import { listFaultPresets } from './operations/list-fault-presets.ts';
import { listFaults } from './operations/list-faults.ts';
import { listLifeCycles } from './operations/list-life-cycles.ts';
import { listObjectTypes } from './operations/list-object-types.ts';
import { listObjects } from './operations/list-objects.ts';
import { listParked } from './operations/list-parked.ts';
import { listRehearsals } from './operations/list-rehearsals.ts';
import { listRuns } from './operations/list-runs.ts';
import { listScenarios } from './operations/list-scenarios.ts';
import { listStock } from './operations/list-stock.ts';
import { listTraces } from './operations/list-traces.ts';
import { moveCustomerByHand } from './operations/move-customer-by-hand.ts';
import { moveProductByHand } from './operations/move-product-by-hand.ts';
import { moveReturnByHand } from './operations/move-return-by-hand.ts';
import { playScan } from './operations/play-scan.ts';
import { putFault } from './operations/put-fault.ts';
import { readClock } from './operations/read-clock.ts';
import { readEvent } from './operations/read-event.ts';
import { readHop } from './operations/read-hop.ts';
import { readJournal } from './operations/read-journal.ts';
import { readObject } from './operations/read-object.ts';
import { readProgression } from './operations/read-progression.ts';
import { readRehearsal } from './operations/read-rehearsal.ts';
import { readRun } from './operations/read-run.ts';
import { readStream } from './operations/read-stream.ts';
import { readTopology } from './operations/read-topology.ts';
import { redriveParked } from './operations/redrive-parked.ts';
import { resetRehearsal } from './operations/reset-rehearsal.ts';
import { search } from './operations/search.ts';
import { setClock } from './operations/set-clock.ts';
import { setProgression } from './operations/set-progression.ts';
import { settle } from './operations/settle.ts';
import { startRun } from './operations/start-run.ts';
import { verify } from './operations/verify.ts';
import { waitForEvents } from './operations/wait-for-events.ts';

/** The operations by id; a missing, superfluous or swapped one does not compile. */
export const operations: { readonly [Id in ControlId]: BoundOperation<Id> } = {
  'create-rehearsal': createRehearsal,
  'list-rehearsals': listRehearsals,
  'read-rehearsal': readRehearsal,
  'delete-rehearsal': deleteRehearsal,
  'reset-rehearsal': resetRehearsal,
  'read-clock': readClock,
  'set-clock': setClock,
  'advance-clock': advanceClock,
  settle,
  'list-parked': listParked,
  'redrive-parked': redriveParked,
  'list-events': listEvents,
  'read-event': readEvent,
  'wait-for-events': waitForEvents,
  'read-topology': readTopology,
  'list-object-types': listObjectTypes,
  'list-objects': listObjects,
  'read-object': readObject,
  search,
  'list-life-cycles': listLifeCycles,
  'list-stock': listStock,
  'read-progression': readProgression,
  'set-progression': setProgression,
  'play-scan': playScan,
  'move-return-by-hand': moveReturnByHand,
  'move-product-by-hand': moveProductByHand,
  'move-customer-by-hand': moveCustomerByHand,
  'count-stock-by-hand': countStockByHand,
  'put-fault': putFault,
  'list-faults': listFaults,
  'delete-fault': deleteFault,
  'delete-faults': deleteFaults,
  'list-fault-presets': listFaultPresets,
  'read-journal': readJournal,
  'read-hop': readHop,
  'list-traces': listTraces,
  verify,
  'list-scenarios': listScenarios,
  'start-run': startRun,
  'list-runs': listRuns,
  'read-run': readRun,
  'delete-run': deleteRun,
  'read-stream': readStream,
};
