/** How far back routes of calls can be asked. */
import { callRules } from '../../schemas/calls/rules.ts'
import type { History } from '../route.ts'

/** How far back answers about calls look: 48 h. An hourly answer also holds the calls that ended since the edition before it. */
export const callsHistory: History = { windowMs: callRules.watchMs, lookBackMs: 2 * callRules.watchMs }
