import { minuteMs } from '../schemas/units.ts'

export const minutesBetween = (fromMs: number, toMs: number): number => (toMs - fromMs) / minuteMs
