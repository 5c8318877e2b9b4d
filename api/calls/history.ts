/** How far back in time `asOf` of the routes about calls can go. */
import { callRules } from '../../schemas/calls/rules.ts'
import type { History } from '../route.ts'

/**
 * An answer reads the calls of the 48 hours before its instant (`watchMs`). An outcome becomes known 48 hours
 * after its call. So an hourly answer about outcomes reads calls that are up to twice this time old.
 */
export const callsHistory: History = { windowMs: callRules.watchMs, lookBackMs: 2 * callRules.watchMs }
