import type { Config } from '../../infra/config.ts'
import { type DurationMs, hourMs } from '../../schemas/units.ts'

/** The common settings of all simulators. `lookBackMs`: how long before now a new log begins. */
export const simulatorSettings = (
  config: Pick<Config, 'SIMULATOR_SEED' | 'SIMULATOR_LOOK_BACK_HOURS'>,
): Readonly<{ seed: number; lookBackMs: DurationMs }> => ({
  seed: config.SIMULATOR_SEED,
  lookBackMs: config.SIMULATOR_LOOK_BACK_HOURS * hourMs,
})
