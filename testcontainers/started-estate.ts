import { createEstateClient, type EstateClient } from '../rehearsal/estate-client.ts';
import type { EstateAccess, EstateCredentials, EstateRehearsal, NewRehearsal } from '../rehearsal/estate-rehearsal.ts';
import type { HardenRun } from '../rehearsal/harden/run.ts';
import type { HardenChoices, HardenStory } from '../rehearsal/harden.ts';

export const GATEWAY_PORT = 8_080;
export const TOUCHPOINT_PORT = 15_115;
export const PORTAL_PORT = 15_116;

/** Access of a checkout lane to the touchpoint mock. */
export interface TouchpointAccess {
  readonly storeKey: string;
  readonly lanes: readonly string[];
}

export const DEMO_TOUCHPOINT: TouchpointAccess = { storeKey: 'demo-store-key', lanes: ['SCO-01'] };

/** A running estate, in one or more containers. */
export interface StartedEstate extends AsyncDisposable {
  /** Address of the APIs: `http://localhost:32768`. */
  getGatewayUrl(): string;
  /** Address for checkout lanes. */
  getTouchpointUrl(): string;
  /** Address of the touchpoint mock's portal, for a browser. */
  getPortalUrl(): string;
  getTouchpointAccess(): TouchpointAccess;
  getCredentials(): EstateCredentials;
  /** Creates an isolated world for a test, with a generated name by default, and your own data if you like. */
  createRehearsal(how?: NewRehearsal): Promise<EstateRehearsal>;
  /** A client of an existing rehearsal, by default `default`. The caller closes it. */
  createClient(rehearsal?: string): EstateClient;
  /**
   * Plays a story once for each misfortune that can strike it, and compares what it left. @throws HardenFailed with the text of the
   * findings
   */
  harden(story: HardenStory, choices?: HardenChoices): Promise<HardenRun>;
}

export const clientOn = ({ gateway, credentials }: EstateAccess, rehearsal = 'default'): EstateClient =>
  createEstateClient({ gateway, ...credentials, rehearsal });
