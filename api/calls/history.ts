/** How far back in time `asOf` of the routes about calls can go. */
import { callRules } from '../../schemas/calls/rules.ts'
import type { History } from '../route.ts'

/**
 * An answer reads calls of the 48 hours before it. An hourly answer also reads older calls, whose 48 hours ended since
 * the previous edition. So `lookBackMs` is twice 48 hours.
 */
export const callsHistory: History = { windowMs: callRules.watchMs, lookBackMs: 2 * callRules.watchMs }
