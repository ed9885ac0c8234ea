import type { ControlId } from '../shared/catalog/control/operations.ts';
import type { BoundOperation } from './operate.ts';
import { advanceClock, listClockMoves, readClock, setClock, settle } from './operations/clock.ts';
import { closeDispute, openDispute } from './operations/disputes.ts';
import { listEvents, listParked, readEvent, redriveParked, waitForEvents } from './operations/events.ts';
import { explainObject } from './operations/explanations.ts';
import { deleteFault, deleteFaults, listFaultPresets, listFaults, putFault } from './operations/faults.ts';
import { readHop, readJournal, verifySequence } from './operations/journal.ts';
import {
  listLifeCycles,
  listNames,
  listObjects,
  listObjectTypes,
  listRelatedObjects,
  listStock,
  readObject,
  search,
} from './operations/objects.ts';
import {
  changeCustomerByHand,
  changeGiftCardByHand,
  changePaymentTokenByHand,
  changeProductByHand,
  changePromotionByHand,
  changeVoucherByHand,
  completePaymentActionByHand,
  countStockByHand,
  moveCustomerByHand,
  moveProductByHand,
  moveReturnByHand,
  playScan,
  resendScan,
} from './operations/outside-world.ts';
import { readProgression, setProgression } from './operations/progression.ts';
import { createRehearsal, deleteRehearsal, listRehearsals, readRehearsal, resetRehearsal } from './operations/rehearsals.ts';
import { deleteRun, listRuns, listScenarios, readRun, startRun } from './operations/runs.ts';
import {
  compareWorlds,
  deleteSnapshot,
  exportRehearsal,
  listSnapshots,
  readSnapshot,
  saveSnapshot,
  uploadSnapshot,
} from './operations/snapshots.ts';
import { readStory } from './operations/story.ts';
import { readStream } from './operations/stream.ts';
import { listSwaps, makeCall, readAnswers, readFidelity, reportChange } from './operations/swaps.ts';
import { readTopology } from './operations/topology.ts';
import { listTraces } from './operations/traces.ts';
import { verify } from './operations/verification.ts';
import {
  deleteWebhook,
  listWebhookDeliveries,
  listWebhooks,
  putWebhook,
  readWebhook,
  redeliverWebhook,
  rotateWebhookSecret,
} from './operations/webhooks.ts';

/** The operations by id; a missing, superfluous or swapped one does not compile. */
export const operations: { readonly [Id in ControlId]: BoundOperation<Id> } = {
  'create-rehearsal': createRehearsal,
  'list-rehearsals': listRehearsals,
  'read-rehearsal': readRehearsal,
  'delete-rehearsal': deleteRehearsal,
  'reset-rehearsal': resetRehearsal,
  'save-snapshot': saveSnapshot,
  'list-snapshots': listSnapshots,
  'read-snapshot': readSnapshot,
  'export-rehearsal': exportRehearsal,
  'upload-snapshot': uploadSnapshot,
  'delete-snapshot': deleteSnapshot,
  'compare-worlds': compareWorlds,
  'read-clock': readClock,
  'set-clock': setClock,
  'advance-clock': advanceClock,
  'list-clock-moves': listClockMoves,
  settle,
  'list-parked': listParked,
  'redrive-parked': redriveParked,
  'list-events': listEvents,
  'read-event': readEvent,
  'wait-for-events': waitForEvents,
  'put-webhook': putWebhook,
  'list-webhooks': listWebhooks,
  'read-webhook': readWebhook,
  'delete-webhook': deleteWebhook,
  'rotate-webhook-secret': rotateWebhookSecret,
  'list-webhook-deliveries': listWebhookDeliveries,
  'redeliver-webhook': redeliverWebhook,
  'list-swaps': listSwaps,
  'read-fidelity': readFidelity,
  'read-answers': readAnswers,
  'make-call': makeCall,
  'report-change': reportChange,
  'read-topology': readTopology,
  'list-object-types': listObjectTypes,
  'list-objects': listObjects,
  'read-object': readObject,
  'list-related-objects': listRelatedObjects,
  'list-names': listNames,
  search,
  'list-life-cycles': listLifeCycles,
  'list-stock': listStock,
  'explain-object': explainObject,
  'read-progression': readProgression,
  'set-progression': setProgression,
  'play-scan': playScan,
  'resend-scan': resendScan,
  'move-return-by-hand': moveReturnByHand,
  'move-product-by-hand': moveProductByHand,
  'move-customer-by-hand': moveCustomerByHand,
  'complete-payment-action-by-hand': completePaymentActionByHand,
  'count-stock-by-hand': countStockByHand,
  'open-dispute': openDispute,
  'close-dispute': closeDispute,
  'change-product-by-hand': changeProductByHand,
  'change-promotion-by-hand': changePromotionByHand,
  'change-voucher-by-hand': changeVoucherByHand,
  'change-gift-card-by-hand': changeGiftCardByHand,
  'change-payment-token-by-hand': changePaymentTokenByHand,
  'change-customer-by-hand': changeCustomerByHand,
  'put-fault': putFault,
  'list-faults': listFaults,
  'delete-fault': deleteFault,
  'delete-faults': deleteFaults,
  'list-fault-presets': listFaultPresets,
  'read-journal': readJournal,
  'read-hop': readHop,
  'verify-sequence': verifySequence,
  'read-story': readStory,
  'list-traces': listTraces,
  verify,
  'list-scenarios': listScenarios,
  'start-run': startRun,
  'list-runs': listRuns,
  'read-run': readRun,
  'delete-run': deleteRun,
  'read-stream': readStream,
};
