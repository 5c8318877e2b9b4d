import type { Config } from '../../infra/config.ts'
import { type DurationMs, hourMs } from '../../schemas/units.ts'

/**
 * The settings that all chain simulators share. `lookBackMs` is the time between the first block of a new log
 * and now.
 */
export const simulatorSettings = (
  config: Pick<Config, 'SIMULATOR_SEED' | 'SIMULATOR_LOOK_BACK_HOURS'>,
): Readonly<{ seed: number; lookBackMs: DurationMs }> => ({
  seed: config.SIMULATOR_SEED,
  lookBackMs: config.SIMULATOR_LOOK_BACK_HOURS * hourMs,
})
