import type { Transport } from 'viem'
import type { EpochMs } from '../../../schemas/units.ts'
import { aheadText, isAheadOfClock } from '../../believable-time.ts'

/** Thrown when the node at a URL gives a block time in the future. The client then tries the next URL. */
class BlockAheadError extends Error {
  override readonly name = 'BlockAheadError'
}

type ClockCheck = Readonly<{
  /**
   * Returns a transport that also checks the block times in the answers. `place` is the index of the
   * transport's URL in the list of URLs.
   */
  checked(place: number, transport: Transport): Transport
}>

export function createClockCheck(urlCount: number, nowMs: () => EpochMs): ClockCheck {
  const ahead = new Set<number>()

  const check = (place: number, answer: unknown) => {
    const { number, timestamp } = (answer ?? {}) as Readonly<Record<string, unknown>>
    const atMs = Number(timestamp) * 1000
    if (!isAheadOfClock({ atMs }, nowMs())) return void ahead.delete(place)
    ahead.add(place)
    const isOurs = urlCount > 1 && ahead.size === urlCount
    const whose = isOurs
      ? `All ${urlCount} URLs of the node agree, so this clock is wrong`
      : 'The node or this clock is wrong'
    throw new BlockAheadError(aheadText({ number: Number(number), atMs }, { nowMs: nowMs(), whose }))
  }

  return {
    checked: (place, transport) => (options) => {
      const made = transport(options)
      const request: typeof made.request = async (call) => {
        const answer = await made.request(call)
        if (call.method === 'eth_getBlockByNumber') check(place, answer)
        return answer as never
      }
      return { ...made, request }
    },
  }
}
