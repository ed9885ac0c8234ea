import { createPortalPage } from '../console/serve.ts';
import { startTouchpointMock } from '../services/touchpoint-mock/mock-server.ts';
import { startPortal } from '../services/touchpoint-mock/portal-server.ts';
import type { Logger } from '../shared/process/logger.ts';
import type { Configuration } from './configuration.ts';
import { touchpointFixtures } from './fixture-folders.ts';
import { explainListenError } from './start-error.ts';

/**
 * Starts the touchpoint mock and its portal. They share nothing with the rest of the estate; the portal only links to its console.
 * @param gateway address of the gateway that serves the console
 */
export async function startTouchpoint(configuration: Configuration, log: Logger, { gateway }: { readonly gateway?: string } = {}) {
  const { HOST, TOUCHPOINT_PORT, PORTAL_HOST, PORTAL_PORT, MOCK_STORE_KEY, MOCK_LANES, ALLOWED_HOSTS } = configuration;
  const fixtures = await touchpointFixtures(configuration);
  const shared = { storeKey: MOCK_STORE_KEY, lanes: MOCK_LANES, allowedHosts: ALLOWED_HOSTS, logger: log, ...(fixtures && { fixtures }) };
  const consoleUrl = gateway === undefined ? undefined : `${gateway}/console/`;
  // A free port is known only after the portal has started, which needs the mock.
  const portalUrl = PORTAL_PORT === 0 ? undefined : `http://127.0.0.1:${PORTAL_PORT}`;
  const mock = await startTouchpointMock({ ...shared, host: HOST, port: TOUCHPOINT_PORT, portalUrl }).catch(
    explainListenError('TOUCHPOINT_PORT'),
  );
  try {
    const page = createPortalPage(configuration.NODE_ENV === 'production');
    const portal = await startPortal({ ...shared, page, host: PORTAL_HOST, port: PORTAL_PORT, mockUrl: mock.url, consoleUrl }).catch(
      explainListenError('PORTAL_PORT', 'PORTAL_HOST'),
    );
    return {
      mock: mock.url,
      portal: portal.url,
      drain: () => {
        mock.drain();
        portal.drain();
      },
      close: async () => {
        await portal.close();
        await mock.close();
      },
    };
  } catch (error) {
    await mock.close();
    throw error;
  }
}
