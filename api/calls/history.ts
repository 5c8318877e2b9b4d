/** How far back in time `asOf` of the routes about calls can go. */
import { callRules } from '../../schemas/calls/rules.ts'
import type { History } from '../route.ts'

/**
 * An answer looks 48 h back. An hourly answer also contains the calls that ended since the edition before it, so
 * `lookBackMs` is twice as long.
 */
export const callsHistory: History = { windowMs: callRules.watchMs, lookBackMs: 2 * callRules.watchMs }
