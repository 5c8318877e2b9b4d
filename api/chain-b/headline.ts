import type { ChainBDerived } from '../../schemas/chain-b/derived.ts'
import { lamportsPerSol } from '../../schemas/chain-b/units.ts'
import { callHeadline } from '../calls/resources/headline.ts'
import { minutesBetween } from '../durations.ts'
import type { ApiSource } from '../source.ts'

/**
 * One line of text for a person about a burst (sudden net buying), a graduation (a completed curve) or a call
 * (a token named in a chat).
 */
export const headlineOf: NonNullable<ApiSource['headlineOf']> = (mint, record) => {
  const { type, data } = record as ChainBDerived
  const short = `${mint.slice(0, 8)}…${mint.slice(-4)}`
  if (type === 'Burst') {
    const sol = (Number(data.inflowLamports) / lamportsPerSol).toFixed(2)
    const fill = Math.floor(data.fillAt * 100)
    const ageMin = Math.floor(minutesBetween(data.launchAtMs, data.atMs))
    const text = `curve  ${short}  +${sol} SOL in ${data.windowSec} s, curve ${fill} % full, token ${ageMin} min old`
    return { atMs: data.atMs, text }
  }
  if (type === 'Call') return callHeadline(mint, data)
  if (type !== 'Graduation') return null
  const since =
    data.launchAtMs === null ? '' : ` after ${Math.floor(minutesBetween(data.launchAtMs, data.gradAtMs))} min`
  return { atMs: data.gradAtMs, text: `grad   ${short}  curve complete${since}` }
}
