/** Builds facts (decoded chain events) of a bonding curve, with the terms of a launch on Pons V2. */
import type {
  CurveCompleted,
  CurveFound,
  CurveGraduated,
  CurveLaunched,
  CurveTraded,
} from '../../../schemas/chain-a/facts.ts'
import { buildAddress, buildHash, chainPlaceOf, type Fact, weiOf } from './build-facts.ts'

export const testCurve = buildAddress(0xcf)

const terms = {
  launchpad: 'pons-v2',
  creator: buildAddress(0xc0),
  symbol: 'TEST',
  graduationWei: weiOf(4.2),
  phantomWei: weiOf(1.68),
  supplyRaw: 10n ** 27n,
}

export const buildCurveLaunched = (fields: Partial<CurveLaunched> = {}): Fact<'CurveLaunched'> => ({
  type: 'CurveLaunched',
  data: { curve: testCurve, ...terms, ...chainPlaceOf(fields), ...fields },
})

export const buildCurveFound = (fields: Partial<CurveFound> = {}): Fact<'CurveFound'> => ({
  type: 'CurveFound',
  data: {
    curve: testCurve,
    ...terms,
    launchBlock: null,
    launchAtMs: null,
    reserveWei: weiOf(1),
    ...chainPlaceOf(fields),
    ...fields,
  },
})

/**
 * A positive `eth` is the ETH that the trader pays in, including fees. The default is 0.1. A negative `eth`
 * is the ETH paid out. The fees are 1 %, and there is no tax.
 */
export function buildCurveTraded({ eth = 0.1, ...fields }: Partial<CurveTraded> & Readonly<{ eth?: number }> = {}) {
  const ethWei = fields.ethWei ?? weiOf(eth)
  const fact: Fact<'CurveTraded'> = {
    type: 'CurveTraded',
    data: {
      curve: testCurve,
      trader: buildAddress(0x7a),
      ethWei,
      tokenRaw: ethWei * 10n ** 8n,
      feeWei: (ethWei < 0n ? -ethWei : ethWei) / 100n,
      taxWei: 0n,
      ...chainPlaceOf(fields),
      ...fields,
    },
  }
  return fact
}

export const buildCurveCompleted = (fields: Partial<CurveCompleted> = {}): Fact<'CurveCompleted'> => ({
  type: 'CurveCompleted',
  data: { curve: testCurve, ...chainPlaceOf(fields), ...fields },
})

export const buildCurveGraduated = (fields: Partial<CurveGraduated> = {}): Fact<'CurveGraduated'> => ({
  type: 'CurveGraduated',
  data: { curve: testCurve, positionId: buildHash(9), ...chainPlaceOf(fields), ...fields },
})
