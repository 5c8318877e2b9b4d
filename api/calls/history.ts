/** How far back routes of calls can be asked. */
import { callRules } from '../../schemas/calls/rules.ts'
import type { History } from '../route.ts'

/** Of calls of the last 48 h; an hourly answer is of those before its hour, and of those that ended since the edition before. */
export const callsHistory: History = { windowMs: callRules.watchMs, lookBackMs: 2 * callRules.watchMs }
