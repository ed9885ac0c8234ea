import { advanceClock, readClock, setClock, settle } from './operations/clock.ts';
import { listEvents, listParked, readEvent, redriveParked, waitForEvents } from './operations/events.ts';
import { deleteFault, deleteFaults, listFaultPresets, listFaults, putFault } from './operations/faults.ts';
import { readHop, readJournal } from './operations/journal.ts';
import { listLifeCycles, listObjects, listObjectTypes, listStock, readObject, search } from './operations/objects.ts';
import { countStockByHand, moveCustomerByHand, moveProductByHand, moveReturnByHand, playScan } from './operations/outside-world.ts';
import { readProgression, setProgression } from './operations/progression.ts';
import { createRehearsal, deleteRehearsal, listRehearsals, readRehearsal, resetRehearsal } from './operations/rehearsals.ts';
import { deleteRun, listRuns, listScenarios, readRun, startRun } from './operations/runs.ts';
import { readStream } from './operations/stream.ts';
import { readTopology } from './operations/topology.ts';
import { listTraces } from './operations/traces.ts';
import { verify } from './operations/verification.ts';

/** All operations. The OpenAPI document lists them in this order. */
export const controlOperations = {
  [createRehearsal.id]: createRehearsal,
  [listRehearsals.id]: listRehearsals,
  [readRehearsal.id]: readRehearsal,
  [deleteRehearsal.id]: deleteRehearsal,
  [resetRehearsal.id]: resetRehearsal,
  [readClock.id]: readClock,
  [setClock.id]: setClock,
  [advanceClock.id]: advanceClock,
  [settle.id]: settle,
  [listParked.id]: listParked,
  [redriveParked.id]: redriveParked,
  [listEvents.id]: listEvents,
  [readEvent.id]: readEvent,
  [waitForEvents.id]: waitForEvents,
  [readTopology.id]: readTopology,
  [listObjectTypes.id]: listObjectTypes,
  [listObjects.id]: listObjects,
  [readObject.id]: readObject,
  [search.id]: search,
  [listLifeCycles.id]: listLifeCycles,
  [listStock.id]: listStock,
  [readProgression.id]: readProgression,
  [setProgression.id]: setProgression,
  [playScan.id]: playScan,
  [moveReturnByHand.id]: moveReturnByHand,
  [moveProductByHand.id]: moveProductByHand,
  [moveCustomerByHand.id]: moveCustomerByHand,
  [countStockByHand.id]: countStockByHand,
  [putFault.id]: putFault,
  [listFaults.id]: listFaults,
  [deleteFault.id]: deleteFault,
  [deleteFaults.id]: deleteFaults,
  [listFaultPresets.id]: listFaultPresets,
  [readJournal.id]: readJournal,
  [readHop.id]: readHop,
  [listTraces.id]: listTraces,
  [verify.id]: verify,
  [listScenarios.id]: listScenarios,
  [startRun.id]: startRun,
  [listRuns.id]: listRuns,
  [readRun.id]: readRun,
  [deleteRun.id]: deleteRun,
  [readStream.id]: readStream,
} as const;

export type ControlId = keyof typeof controlOperations;
/** Operations whose answer is a stream. */
export type StreamId = {
  [Id in ControlId]: (typeof controlOperations)[Id] extends { readonly frames: unknown } ? Id : never;
}[ControlId];
/** Operations with one answer. */
export type CalledId = Exclude<ControlId, StreamId>;
