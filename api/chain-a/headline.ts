import { type ChainADerived, tiers } from '../../schemas/chain-a/derived.ts'
import { minuteMs } from '../../schemas/units.ts'
import { callHeadline } from '../calls/resources/headline.ts'
import type { ApiSource } from '../source.ts'

const tierWidth = Math.max(...tiers.map(({ length }) => length)) + 1

/**
 * One line of text for a person about a burst (sudden net buying in a pool) or a call (a token named in a
 * chat).
 */
export const headlineOf: NonNullable<ApiSource['headlineOf']> = (token, record) => {
  const { type, data } = record as ChainADerived
  if (type === 'Call') return callHeadline(token, data)
  if (type !== 'Burst') return null
  const eth = (Number(data.inflowWei) / 1e18).toFixed(2)
  const ageMin = Math.floor((data.atMs - data.poolCreatedAtMs) / minuteMs)
  const short = `${token.slice(0, 8)}…${token.slice(-4)}`
  const text = `${data.tier.padEnd(tierWidth)}${short}  +${eth} ETH in ${data.windowSec} s, ${data.buys} buys, pool ${ageMin} min old`
  return { atMs: data.atMs, text }
}
