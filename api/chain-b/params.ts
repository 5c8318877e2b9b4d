/** Parameters that routes share. */
import type { NumberParam } from '../edge/params.ts'

export const minutesParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 240,
  default: 60,
  isCount: false,
  description: 'how far to look back',
}

/** An hour at least, a day unless it is given. */
export const hoursParam = (max: number): NumberParam => ({
  in: 'query',
  type: 'number',
  min: 1,
  max,
  default: 24,
  isCount: false,
  description: 'how far to look back',
})
