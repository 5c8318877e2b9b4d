/** Short texts for trades of one curve. */
import { expect } from 'chai'
import type { CurveTraded } from '../../../../schemas/chain-b/facts.ts'
import { buildCurveTraded } from '../../../support/chain-b/build-facts.ts'

/**
 * Builds a trade from a text. `5a:0>10` is trade `a` in slot 5, which raises the curve's quote reserve from 0
 * to 10. Token reserves follow from quote reserves.
 */
export function tradeOf(
  text: string,
  fields: Partial<CurveTraded> = {},
): Readonly<{ type: 'CurveTraded'; data: CurveTraded }> {
  const [, slot = '', name = '', from = '', to = ''] = /^(\d+)(\w):(-?\d+)>(-?\d+)$/.exec(text) ?? expect.fail(text)
  const quoteRaw = BigInt(to) - BigInt(from)
  const reserves = { virtualQuoteRaw: 1000n + BigInt(to), virtualTokenRaw: 1000n - BigInt(to) }
  const place = { blockNumber: Number(slot), txHash: hashOf(name), logIndex: 0 }
  return buildCurveTraded({ ...{ quoteRaw, tokenRaw: quoteRaw, ...reserves }, ...place, ...fields })
}

export const hashOf = (name: string) => `0x${Buffer.from(name).toString('hex')}` as const
export const nameOf = ({ data }: Readonly<{ data: Readonly<{ txHash: string }> }>): string =>
  Buffer.from(data.txHash.slice(2), 'hex').toString()
export const stateOf = (at: number) => ({ quoteRaw: 1000n + BigInt(at), tokenRaw: 1000n - BigInt(at) })
