/** Builds posts in a few chats, and gaps of some chats. */
import type { ChatTypes } from '../../../schemas/chats/stage.ts'
import { buildContent } from '../../ingest/mentions/build-post.ts'
import { buildTick, second } from '../../support/builders/build-facts.ts'
import type { KeyedRecord } from '../keyed-record.ts'
import { createDraw } from './draw.ts'

const chatCount = 5
const tickCount = 2500
const gapEvery = 25

/** The log of one partition. Ticks are two seconds apart, each with up to three posts before it. */
export function chatFacts(seed: number): KeyedRecord<ChatTypes>[] {
  const draw = createDraw(seed)
  // Block 1 is the first block, even if the first tick has no post.
  let blockNumber = 1
  return Array.from({ length: tickCount }, (_, index) => {
    const seq = index + 1
    const blockAtMs = second(2 * seq)
    const place = () => ({ blockNumber: ++blockNumber, blockHash: '0x', blockAtMs }) as const
    const posts = Array.from({ length: draw(4) }, (): KeyedRecord<ChatTypes> => {
      const chat = `-100${draw(chatCount)}`
      return {
        key: chat,
        record: { type: 'PostSeen', data: { ...buildContent({ chat, post: blockNumber }), ...place() } },
      }
    })
    const chat = `-100${draw(chatCount)}`
    const gap = { chat, fromAtMs: blockAtMs - 1000 * draw(600), toAtMs: blockAtMs, reason: 'offline' } as const
    const gaps: readonly KeyedRecord<ChatTypes>[] =
      seq % gapEvery > 0 ? [] : [{ key: chat, record: { type: 'ChatGapFound', data: { ...gap, ...place() } } }]
    const tick = buildTick({ seq, blockNumber, blockAtMs })
    return [...posts, ...gaps, { key: 'tick', record: { type: 'Tick', data: tick } } as const]
  }).flat()
}
