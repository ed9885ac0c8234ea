import { type Exchange, type Outcome, type Passage, steps } from './facts.ts';
import type { GatewayParts } from './gateway-parts.ts';
import {
  checkAddress,
  continueTrace,
  type ForApi,
  findTarget,
  limitAddress,
  limitKey,
  readDryRun,
  secureOwnAnswer,
  startSpan,
  type Targeted,
} from './steps/address.ts';
import {
  addressApplication,
  answerAgents,
  answerControl,
  answerDocuments,
  answerHealth,
  answerMetrics,
  answerPreflight,
  callApplication,
  identifyInRehearsal,
  identifyRequest,
  nameCorrelationId,
  receiveBody,
  receiveControlBody,
  requireOrigin,
} from './steps/answer.ts';
import {
  authenticateClient,
  chooseScopes,
  issueToken,
  readParameters,
  refuseOtherMethods,
  requireClientCredentials,
  revokeToken,
  strikeToken,
} from './steps/oauth.ts';
import {
  authenticate,
  chooseRehearsal,
  enterRehearsal,
  readRehearsalHeader,
  readRehearsalInAddress,
  useRehearsal,
} from './steps/rehearsal.ts';

/**
 * The steps of a request, in order. The first ones find the part that answers it, and each kind of answer has its own steps. A step gets the
 * facts that earlier steps established, and returns one more. When it throws, the outcome has the facts so far.
 */
export function createPassage(parts: GatewayParts): Passage<Exchange> {
  const api = steps<ForApi>()
    .prove(readDryRun)
    .prove(startSpan(parts))
    .check(limitAddress(parts))
    .prove(limitKey(parts))
    .prove(readRehearsalInAddress)
    .prove(authenticate(parts))
    .prove(readRehearsalHeader)
    .prove(chooseRehearsal)
    .prove(enterRehearsal(parts))
    .check(useRehearsal(parts))
    .prove(identifyInRehearsal(parts))
    .prove(receiveBody)
    .check(strikeToken(parts))
    .prove(addressApplication(parts))
    .end(callApplication(parts));

  const authenticated = steps<Targeted>()
    .check(secureOwnAnswer)
    .prove(startSpan(parts))
    .check(limitAddress(parts))
    .prove(limitKey(parts))
    .prove(authenticate(parts))
    .prove(readRehearsalHeader)
    .prove(chooseRehearsal);

  const control = authenticated.prove(identifyRequest).check(nameCorrelationId).prove(receiveControlBody(parts)).end(answerControl(parts));

  const agents = authenticated
    .check(requireOrigin(parts))
    .prove(identifyRequest)
    .check(nameCorrelationId)
    .prove(receiveBody)
    .end(answerAgents(parts));

  const metrics = authenticated.end(answerMetrics(parts));

  const byClient = steps<Targeted>()
    .check(secureOwnAnswer)
    .check(refuseOtherMethods)
    .prove(continueTrace)
    .check(limitAddress(parts))
    .prove(identifyRequest)
    .check(nameCorrelationId)
    .prove(receiveBody)
    .prove(readParameters)
    .prove(authenticateClient(parts));

  const token = byClient
    .check(requireClientCredentials)
    .prove(chooseScopes)
    .prove(readRehearsalHeader)
    .prove(chooseRehearsal)
    .prove(enterRehearsal(parts))
    .end(issueToken(parts));

  const revocation = byClient.end(revokeToken(parts));

  const documents = steps<Targeted>().check(secureOwnAnswer).prove(continueTrace).check(limitAddress(parts)).end(answerDocuments(parts));

  const health = steps<Targeted>().check(secureOwnAnswer).end(answerHealth(parts));

  const preflight = steps<Targeted>().end(answerPreflight(parts));

  function passTo(request: Targeted): Promise<Outcome> {
    switch (request.target) {
      case 'api':
        return api(request);
      case 'control plane':
        return control(request);
      case 'agents':
        return agents(request);
      case 'metrics':
        return metrics(request);
      case 'documents':
        return documents(request);
      case 'token':
        return token(request);
      case 'revocation':
        return revocation(request);
      case 'health':
        return health(request);
      case 'preflight':
        return preflight(request);
    }
  }

  return steps<Exchange>().prove(checkAddress(parts)).prove(findTarget(parts)).fork(passTo);
}
