/**
 * The arithmetic of a launchpad's bonding curve. The curve is a constant product of `x = phantom + reserve`
 * ETH and `y` tokens. At the launch, `x = phantom` and `y = supply`. The formula gives the amounts of
 * recorded launches exactly to the wei.
 */
import type { LaunchCurve } from './derived.ts'

type CurvePoint = Readonly<Pick<LaunchCurve, 'phantomWei' | 'reserveWei'>>

/**
 * Returns the reserve as a share of the ETH that completes the curve, from 0 to 1. A complete curve holds a
 * few wei more than needed, so the share is limited to 1.
 */
export const curveProgress = ({
  reserveWei,
  graduationWei,
}: Pick<LaunchCurve, 'reserveWei' | 'graduationWei'>): number => Math.min(1, Number(reserveWei) / Number(graduationWei))

/**
 * Returns the spot price times the supply, in ETH. With the price `x / y` and `y = phantom * supply / x`, the
 * product is `x² / phantom`.
 */
export function curveMarketCapEth({ phantomWei, reserveWei }: CurvePoint): number {
  const xEth = Number(phantomWei + reserveWei) / 1e18
  return (xEth * xEth) / (Number(phantomWei) / 1e18)
}
