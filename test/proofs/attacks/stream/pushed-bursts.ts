/** Pushes bursts so fast that a client that does not read falls behind within seconds. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stream } from '../../../../api/stream/stream.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import { address, buildBurst, buildTick } from '../../../projections/derived-log.ts'

export const passSecret = 'a secret of the proof'
const ticks = 120
const burstsOfTick = 80
const tickMs = 100
export const pushedBursts = ticks * burstsOfTick
export const pushMs = ticks * tickMs

/** Pushes the bursts with numbered token addresses, so that a client notices a missing burst. */
export async function pushBursts(stream: Stream): Promise<void> {
  const startedAtMs = performance.now()
  for (let seq = 1; seq <= ticks; seq++) {
    await sleep(Math.max(0, startedAtMs + seq * tickMs - performance.now()))
    const atMs = Date.now()
    const first = (seq - 1) * burstsOfTick
    stream.onTick({
      ...{ stage: chainAStage, partition: 0, tick: buildTick({ seq, knownAtMs: atMs }) },
      records: Array.from({ length: burstsOfTick }, (_, index) => ({
        ...{
          key: address(first + index + 1),
          record: buildBurst({ atMs }),
          offset: first + index,
          publishedAtMs: atMs,
        },
      })),
      nextOffset: first + burstsOfTick,
    })
  }
}
