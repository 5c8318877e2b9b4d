/** How far back in time `asOf` of the routes about calls can go. */
import { callRules } from '../../schemas/calls/rules.ts'
import type { History } from '../route.ts'

/**
 * An answer reads calls of the 48 hours before it. The hourly answers of up to 48 hours also list calls whose 48 hours ended after the
 * previous edition. `lookBackMs` leaves room for these older calls.
 */
export const callsHistory: History = { windowMs: callRules.watchMs, lookBackMs: 2 * callRules.watchMs }
