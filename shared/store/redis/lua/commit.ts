import { CHECK_COUNTERS, CHECK_FENCE, CHECK_OUTBOX, CHECK_SPACE, CHECK_UNIQUES, CHECK_VERSIONS } from './commit-checks.ts';
import { END_FENCE, HAND_OVER, WRITE_COUNTERS, WRITE_DUE, WRITE_EVENTS, WRITE_INDEXES, WRITE_OBJECTS } from './commit-writes.ts';
import { lua } from './lua.ts';

/** Executes a plan as a whole, or not at all. */
export const commitScript = {
  // Every check first, then every write. A refused plan changes nothing but the remembered result. Each part reads its own arguments, so
  // their order is that of `commitArguments`.
  commit: lua`
local app, operation, last, fenceKind, fenceKey, fenceToken = arg(), arg(), arg() == '1', arg(), arg(), arg()
local hasEvents, outboxLimit, most, relay, relayMs, batchSize = arg() == '1', tonumber(arg()), arg(), arg(), arg(), tonumber(arg())
local begun, size = unpack(redis.call('HMGET', root, 'createdAt', 'bytes'))
if not begun then return 'no world ' end
local answered = resultOf(operation)
if answered then return answered end
local function refuse(why, at) return remember(operation, 'no ' .. why .. ' ' .. at) end
local function version(collection, id)
  local stored = redis.call('HGET', key(app .. ':o:' .. collection), id)
  if not stored then return 0, nil, 0 end
  local is, order = string.match(stored, '^(%d+) (%d+) ')
  return tonumber(is), order, #stored
end
${CHECK_FENCE}
${CHECK_OUTBOX}
${CHECK_VERSIONS}
${CHECK_SPACE}
${CHECK_UNIQUES}
${CHECK_COUNTERS}
${WRITE_OBJECTS}
${WRITE_INDEXES}
${WRITE_COUNTERS}
${WRITE_EVENTS}
${END_FENCE}
${WRITE_DUE}
${HAND_OVER}`,
} as const;
