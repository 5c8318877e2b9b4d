/**
 * Waits until no topic of the chains has grown for 12 ms, so stages and lookups are idle. Gives up after 3 s.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../../infra/log/log.ts'
import { stages } from '../calls/derive/project.ts'

const momentMs = 12
const mostMs = 3000

export function createQuiet(log: Log): () => Promise<void> {
  const place = async () => {
    const ends: number[] = []
    for (const { factTopic, derivedTopic } of stages)
      for (const { name } of [factTopic, derivedTopic])
        for (let partition = 0; partition < factTopic.partitionCount; partition++)
          ends.push((await log.bounds(name, partition)).endOffset)
    return ends.join()
  }
  return async () => {
    const untilMs = performance.now() + mostMs
    for (let before = await place(); performance.now() < untilMs; ) {
      await sleep(momentMs)
      const now = await place()
      if (now === before) return
      before = now
    }
  }
}
