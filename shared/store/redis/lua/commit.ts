import { CHECKS } from './commit-checks.ts';
import { WRITES } from './commit-writes.ts';
import { lua } from './lua.ts';

/** Executes a plan as a whole, or not at all. */
export const commitScript = {
  // The plan is a CommitPlan of commit.ts. Every check first, then every write: a refused plan changes nothing but the remembered result.
  commit: lua`
${CHECKS}
${WRITES}
local plan = decoded()
local begun, size = unpack(redis.call('HMGET', root, 'createdAt', 'bytes'))
if not begun then return 'no world ' end
local result = resultOf(plan.operation)
if result then return result end

local app, fence, counters = plan.application, plan.fence, {}
local refusal = checkFence(app, fence)
  or checkOutbox(app, fence, plan.events, plan.outboxLimit)
  or checkVersions(app, plan.expect, plan.put)
  or checkSpace(size, plan.spaceLimit)
  or checkUniques(app, plan.unique)
  or checkCounters(counters, app, plan.move, plan.guard)
if refusal then return remember(plan.operation, 'no ' .. refusal) end

local seq = int(count('seq'))
local orders, bytes = writeObjects(app, plan.put)
writeUniques(app, plan.unique)
writeIndexes(app, plan.index, orders)
writeCounters(app, counters)
bytes = bytes + writeEvents(app, plan.events)
bytes = bytes + endFence(app, fence, plan.last, plan.preconditionHeld, plan.outcome)
local wait = writeDue(fence, plan.last, plan.due)
noteKeys()
addBytes(bytes)
if #plan.events > 0 or #plan.due > 0 or fence.kind == 'delivery' or fence.kind == 'due' then changed(wait ~= QUIET and int(wait) or QUIET) end
return { remember(plan.operation, 'ok ' .. seq), unpack(handOver(app, plan.relay, plan.events)) }`,
} as const;
