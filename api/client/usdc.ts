import { OperationError } from '../../infra/errors.ts'

const microsPerUsdc = 1_000_000

/** Converts a limit in USDC to millionths. `name` is the name of the limit, for the error. */
export function microsOf(usdc: number, name: string): number {
  const micros = Math.round(usdc * microsPerUsdc)
  if (Number.isSafeInteger(micros) && micros > 0) return micros
  throw new OperationError('config_invalid', `${name} must be a number of USDC, at least 0.000001`)
}

/** The amount in USDC, for texts and results. */
export const usdcOf = (micros: number): number => micros / microsPerUsdc
