/** How far back in time `asOf` of the routes about calls can go. */
import { callRules } from '../../schemas/calls/rules.ts'
import type { History } from '../route.ts'

/**
 * An answer reads calls of the 48 hours before it. An hourly answer over 48 hours also reads calls whose 48 hours ended after the previous
 * edition. `lookBackMs` covers these older calls.
 */
export const callsHistory: History = { windowMs: callRules.watchMs, lookBackMs: 2 * callRules.watchMs }
