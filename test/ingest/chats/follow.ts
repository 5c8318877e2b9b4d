/** Runs a source of chats as ingest does, and keeps its facts. */

import { setTimeout } from 'node:timers/promises'
import { assertFollows } from '../../../ingest/assert-follows.ts'
import { createChatSource } from '../../../ingest/chats/chat-source.ts'
import { chatsDefinition } from '../../../ingest/chats/definition.ts'
import type { ChatReader } from '../../../ingest/chats/reader.ts'
import type { ChatKeyedFact, ChatRange } from '../../../ingest/chats/types.ts'
import type { ChatFact } from '../../../schemas/chats/facts.ts'
import type { Block } from '../../../schemas/stage.ts'

export type FollowedLog = { facts: ChatKeyedFact[]; cursor: Block | null; ranges: number }

export const emptyLog = (): FollowedLog => ({ facts: [], cursor: null, ranges: 0 })

/** Returns the facts without the block. Only ingest adds the block. */
export const toldBy = (log: FollowedLog) =>
  log.facts.map(({ fact: { type, data } }) => {
    const { blockNumber, blockHash, blockAtMs, ...told } = data
    return { type, ...told }
  })

export type Following = Readonly<{ stop: () => Promise<void>; until: (isDone: () => boolean) => Promise<void> }>

/**
 * Follows a source of chats. `beforeKept` is called when a range is in the log, but before the reader learns
 * this. Fails if the source fails.
 */
export function follow(
  log: FollowedLog,
  openReader: () => Promise<ChatReader>,
  options: Readonly<{ nowMs?: () => number; beforeKept?: (range: ChatRange) => void }> = {},
): Following {
  const { nowMs = Date.now, beforeKept } = options
  const stop = new AbortController()
  const source = createChatSource({ openReader, nowMs })
  const known = {
    book: null,
    blocksFrom: async () => [],
    factIdsFrom: async () => new Map(),
    factsFrom: async (number: number, isWanted: (type: string, key: string) => boolean) =>
      log.facts.filter(
        ({ key, fact }: Readonly<{ key: string; fact: ChatFact }>) =>
          fact.data.blockNumber >= number && isWanted(fact.type, key),
      ),
  }
  const run = async () => {
    for await (const range of source.ranges(log.cursor, known, stop.signal)) {
      assertFollows(chatsDefinition, range, log.cursor)
      log.facts.push(...range.facts)
      log.cursor = range.head
      log.ranges++
      beforeKept?.(range)
    }
  }
  let failure: unknown
  const running = run().catch((error: unknown) => {
    failure = error
  })
  return {
    async stop() {
      stop.abort()
      await running
    },
    async until(isDone) {
      while (!isDone()) {
        if (failure !== undefined) throw failure
        await setTimeout(2)
      }
    },
  }
}
