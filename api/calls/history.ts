/**
 * The limits of `asOf` for the routes about calls. With the parameter `asOf`, a route answers for an earlier
 * time.
 */
import { callRules } from '../../schemas/calls/rules.ts'
import type { History } from '../route.ts'

/**
 * An answer for the time T reads the calls of the 48 hours (`watchMs`) before T. The outcome of a call is
 * known 48 hours after the call. So an hourly answer about outcomes reads calls that are up to 96 hours old.
 */
export const callsHistory: History = { windowMs: callRules.watchMs, lookBackMs: 2 * callRules.watchMs }
