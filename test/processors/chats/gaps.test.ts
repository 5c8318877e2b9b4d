import { expect } from 'chai'
import { createTestDriver } from '../../../processors/runtime/test-driver.ts'
import { chats } from '../../../processors/stages.ts'
import type { ChatFact } from '../../../schemas/chats/facts.ts'

const placeAt = (blockNumber: number) => ({
  chat: '@calls',
  blockNumber,
  blockHash: '0x' as const,
  blockAtMs: blockNumber,
})

describe('gaps of chats', () => {
  it('are published as they were found, and nothing is remembered', () => {
    const driver = createTestDriver(chats)
    const gap: ChatFact = {
      ...{ type: 'ChatGapFound', data: { fromAtMs: 1, toAtMs: 5, reason: 'offline', ...placeAt(10) } },
    }
    driver.fact('@calls', gap)
    driver.fact('@calls', { type: 'PostsDeleted', data: { posts: [1], ...placeAt(11) } })
    expect(driver.tick(12)).to.deep.equal([
      { token: '@calls', record: { type: 'ChatGap', data: { fromAtMs: 1, toAtMs: 5, reason: 'offline' } } },
    ])
    expect(driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })
})
