import type { Config } from '../../infra/config.ts'
import { type DurationMs, hourMs } from '../../schemas/units.ts'

/**
 * The seconds of past blocks that a chain simulator yields at a time. Each range costs some appends and inserts, whose
 * time hardly depends on the number of facts. With ranges of half an hour, the chains would be so far ahead of the chats
 * that most posts would get no score.
 */
const rangeSec = 600

/**
 * The settings that all simulators share. `lookBackMs` is the time between the first block of a new log and now.
 */
export const simulatorSettings = (
  config: Pick<Config, 'SIMULATOR_SEED' | 'SIMULATOR_LOOK_BACK_HOURS'>,
): Readonly<{ seed: number; lookBackMs: DurationMs; rangeSec: number }> => ({
  seed: config.SIMULATOR_SEED,
  lookBackMs: config.SIMULATOR_LOOK_BACK_HOURS * hourMs,
  rangeSec,
})
