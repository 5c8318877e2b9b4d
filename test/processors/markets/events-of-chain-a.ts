/**
 * Builds facts and posts of a token of chain A from times in seconds. The lists of test cases use these
 * functions.
 */
import type { Hex } from '../../../schemas/units.ts'
import {
  buildHash,
  buildLiquidityChanged,
  buildPoolCreated,
  buildSwap,
  second,
} from '../../support/builders/build-facts.ts'
import { buildMention } from '../../support/builders/build-mentions.ts'

export const hour = 3600
export const [day, poolLife, curveLife, keptFor] = [24 * hour, 25.5 * hour, 7 * 24 * hour, 48.25 * hour]
export const otherPool = buildHash(0xb1)
const full = 10n ** 21n

type Fields = Readonly<{ pool?: Hex; txHash?: Hex; blockNumber?: number }>

export const at = (sec: number) => ({ blockAtMs: second(sec) })
export const created = (sec: number, fields: Parameters<typeof buildPoolCreated>[0] = {}) =>
  buildPoolCreated({ ...at(sec), ...fields })
export const swap = (sec: number, px: number, fields: Parameters<typeof buildSwap>[0] = {}) =>
  buildSwap({ ...at(sec), px: px * 1e-9, ...fields })
/** By so many thousandths of `full`. */
export const change = (sec: number, perMille: number, fields: Fields = {}) =>
  buildLiquidityChanged({ ...at(sec), liquidityDelta: (full * BigInt(perMille)) / 1000n, ...fields })
export const call = (sec: number, fields: Parameters<typeof buildMention>[0] = {}) =>
  buildMention({ postedAtMs: second(sec), ...fields })
