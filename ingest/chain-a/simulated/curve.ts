/** Simulates a bonding curve with the same integer arithmetic as the contract. */

import type { TokenRaw, Wei } from '../../../schemas/units.ts'

export type Curve = {
  reserveWei: Wei
  /**
   * The tokens that the curve holds. It never sells the last `reservedRaw` tokens, because they go into the
   * pool.
   */
  tokensRaw: TokenRaw
}

export const phantomWei = 1_680_000_000_000_000_000n
export const graduationWei = 4_200_000_000_000_000_000n
export const supplyRaw = 10n ** 27n
const reservedRaw = (supplyRaw * phantomWei) / (phantomWei + graduationWei)
const wholeBps = 10_000n
const feeBps = 100n

/** The amounts of a trade. In a buy, `ethWei` includes the fees. In a sell, `ethWei` is the amount after the fees. */
export type CurveTrade = Readonly<{ ethWei: Wei; tokenRaw: TokenRaw; feeWei: Wei; taxWei: Wei }>

export const openCurve = (): Curve => ({ reserveWei: 0n, tokensRaw: supplyRaw })

export const isComplete = ({ tokensRaw }: Curve): boolean => tokensRaw <= reservedRaw

/** Executes a buy. The curve sells at most the tokens above `reservedRaw`, and charges only for the sold tokens. */
export function buyOnCurve(curve: Curve, offeredWei: Wei, taxBps: bigint): CurveTrade {
  const sellable = curve.tokensRaw - reservedRaw
  let trade = priced(curve, offeredWei, taxBps)
  if (trade.tokenRaw > sellable) {
    const quote = phantomWei + curve.reserveWei
    const netWei = (quote * sellable) / (curve.tokensRaw - sellable) + 1n
    const spentWei = ceilingOf(netWei * wholeBps, wholeBps - feeBps - taxBps)
    trade = tradeOf(feesOf(spentWei, taxBps), spentWei, sellable)
  }
  curve.reserveWei += trade.ethWei - trade.feeWei - trade.taxWei
  curve.tokensRaw -= trade.tokenRaw
  return trade
}

function priced(curve: Curve, spentWei: Wei, taxBps: bigint): CurveTrade {
  const fees = feesOf(spentWei, taxBps)
  const netWei = spentWei - fees.feeWei - fees.taxWei
  const tokenRaw = (curve.tokensRaw * netWei) / (phantomWei + curve.reserveWei + netWei)
  return tradeOf(fees, spentWei, tokenRaw)
}

export function sellOnCurve(curve: Curve, tokensIn: bigint, taxBps: bigint): CurveTrade {
  const grossWei = ((phantomWei + curve.reserveWei) * tokensIn) / (curve.tokensRaw + tokensIn)
  const fees = feesOf(grossWei, taxBps)
  curve.reserveWei -= grossWei
  curve.tokensRaw += tokensIn
  return tradeOf(fees, -(grossWei - fees.feeWei - fees.taxWei), -tokensIn)
}

type Fees = Pick<CurveTrade, 'feeWei' | 'taxWei'>

const tradeOf = ({ feeWei, taxWei }: Fees, ethWei: Wei, tokenRaw: TokenRaw): CurveTrade => ({
  feeWei,
  taxWei,
  ethWei,
  tokenRaw,
})

const feesOf = (wei: Wei, taxBps: bigint) => ({
  feeWei: (wei * feeBps) / wholeBps,
  taxWei: (wei * taxBps) / wholeBps,
})

const ceilingOf = (value: bigint, divisor: bigint): bigint => (value + divisor - 1n) / divisor
