import { expect } from 'chai'
import { createTestDriver } from '../../../processors/runtime/test-driver.ts'
import { chats } from '../../../processors/stages.ts'

describe('counts of cards', () => {
  it('are published as they were counted, and nothing is remembered', () => {
    const driver = createTestDriver(chats)
    const bots = [{ bot: 'rick', posts: 3, unread: 1 }]
    const place = { chat: '@calls', blockNumber: 10, blockHash: '0x', blockAtMs: 10 } as const
    driver.fact('@calls', { type: 'PostsDeleted', data: { posts: [1], ...place } })
    driver.answer('@calls', { type: 'CardsCounted', data: { fromAtMs: 1, toAtMs: 5, bots, parserVersion: 2 } })
    expect(driver.tick(12)).to.deep.equal([
      { token: '@calls', record: { type: 'CardCount', data: { fromAtMs: 1, toAtMs: 5, bots } } },
    ])
    expect(driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })
})
