import { flows as documentedFlows } from '../../shared/catalog/flows.ts';

/** The bundler evaluates this module, as `data/catalog.ts`. */
export const flows = documentedFlows.map(({ number, title, onFailure }) => ({ number, title, onFailure }));
