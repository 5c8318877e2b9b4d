/** A curve without a fact for this long is forgotten. If it trades again, it is found again (`CurveFound`). */
import { dayMs } from '../units.ts'

export const curveLifeMs = 7 * dayMs
