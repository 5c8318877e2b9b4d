import { type EpochMs, minuteMs } from '../schemas/units.ts'

export const minutesBetween = (fromMs: EpochMs, toMs: EpochMs): number => (toMs - fromMs) / minuteMs
