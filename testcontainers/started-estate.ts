import { createEstateClient, type EstateClient } from '../rehearsal/estate-client.ts';
import { type EstateAccess, type EstateCredentials, EstateRehearsal } from '../rehearsal/estate-rehearsal.ts';

export const GATEWAY_PORT = 8_080;
export const TOUCHPOINT_PORT = 15_115;
export const PORTAL_PORT = 15_116;

/** How a checkout lane presents itself to the touchpoint mock. */
export interface TouchpointAccess {
  readonly storeKey: string;
  readonly lanes: readonly string[];
}

export const DEMO_TOUCHPOINT: TouchpointAccess = { storeKey: 'demo-store-key', lanes: ['SCO-01'] };

/** An estate that runs, in however many containers. */
export interface StartedEstate extends AsyncDisposable {
  /** Where the APIs are: `http://localhost:32768`. */
  getGatewayUrl(): string;
  /** Where a checkout lane calls. */
  getTouchpointUrl(): string;
  /** The touchpoint mock for people: a page to open in a browser. */
  getPortalUrl(): string;
  getTouchpointAccess(): TouchpointAccess;
  getCredentials(): EstateCredentials;
  /** A world of its own for a test; without a name it gets a new one. */
  createRehearsal(name?: string): Promise<EstateRehearsal>;
  /** A client of a rehearsal that exists, by default the one of those who name none. Close it. */
  createClient(rehearsal?: string): EstateClient;
}

export const rehearsalOn = (access: EstateAccess, name?: string): Promise<EstateRehearsal> => EstateRehearsal.create(access, name);

export const clientOn = ({ gateway, credentials }: EstateAccess, rehearsal = 'default'): EstateClient =>
  createEstateClient({ gateway, ...credentials, rehearsal });
