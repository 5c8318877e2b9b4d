import { expect } from 'chai'
import fc from 'fast-check'
import { minutes } from '../../../processors/chain-a/minutes/processor.ts'
import { createTestDriver } from '../../../processors/runtime/test-driver.ts'
import type { PoolMinute } from '../../../schemas/chain-a/derived.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import {
  buildLiquidityChanged,
  buildPoolCreated,
  buildSwap,
  second,
  testToken,
} from '../../support/builders/build-facts.ts'
import { lastBlockShown } from '../../support/oracle/shown.ts'

type Doing = 'swap' | 'liquidity' | 'nothing'
type Block = Readonly<{ block: number; atMs: number; doing: Doing }>

const pausesSec = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constantFrom(0.1, 9.999, 10, 10.001, 24, 61, 3700))
const doings = fc.constantFrom<Doing>('swap', 'swap', 'swap', 'liquidity', 'nothing')

const anyBlocks = fc.array(fc.tuple(pausesSec, doings), { minLength: 1, maxLength: 60 }).map((drawn): Block[] => {
  let atMs = second(0)
  return drawn.map(([pauseSec, doing], index) => {
    atMs += Math.round(pauseSec * 1000)
    return { block: index + 2, atMs, doing }
  })
})

/** Returns the newest published minute after each block, or null for a block without its own tick. */
function published(blocks: readonly Block[], isClosed: (index: number) => boolean): readonly (PoolMinute | null)[] {
  const driver = createTestDriver({ stage: chainAStage, processors: [minutes] })
  driver.fact(testToken, buildPoolCreated({ blockAtMs: second(0), blockNumber: 1 }))
  let newest: PoolMinute | null = null
  return blocks.map(({ block, atMs, doing }, index) => {
    const place = { blockAtMs: atMs, blockNumber: block }
    if (doing === 'swap') driver.fact(testToken, buildSwap({ ...place, ethWei: 1n }))
    if (doing === 'liquidity') driver.fact(testToken, buildLiquidityChanged(place))
    if (!isClosed(index)) return null
    for (const { record } of driver.tick(atMs)) if (record.type === 'PoolMinute') newest = record.data
    driver.restart()
    return newest
  })
}

/**
 * Returns the blocks that change the published minute. A change of liquidity counts only before the first
 * swap.
 */
function changesOf(blocks: readonly Block[]): readonly Block[] {
  const firstSwap = blocks.findIndex(({ doing }) => doing === 'swap')
  return blocks.filter(({ doing }, index) =>
    doing === 'liquidity' ? firstSwap < 0 || index < firstSwap : doing === 'swap',
  )
}

const minuteOf = (atMs: number): number => atMs - (atMs % 60_000)

describe('what is published as it changes', () => {
  it('is as new as a recount says at every tick, whatever the pauses between blocks, after restarts too', () =>
    fc.assert(
      fc.property(anyBlocks, (blocks) => {
        const shown = published(blocks, () => true)
        for (const [index, { atMs }] of blocks.entries()) {
          const changes = changesOf(blocks.slice(0, index + 1))
          const lastBlock = lastBlockShown(changes, { nowMs: atMs, endsWithMinute: true })
          const known = changes.filter(({ block }) => block <= lastBlock)
          const minuteAtMs = known.length > 0 ? minuteOf(known.at(-1)?.atMs ?? 0) : undefined
          const swaps = known.filter(({ doing }) => doing === 'swap')
          expect(shown[index]?.minuteAtMs).to.equal(minuteAtMs)
          expect(shown[index]?.lastSwapAtMs ?? undefined).to.equal(swaps.at(-1)?.atMs)
          expect(shown[index]?.buys ?? 0).to.equal(swaps.filter((swap) => minuteOf(swap.atMs) === minuteAtMs).length)
        }
      }),
    ))

  it('does not depend on how many blocks a tick closes', () =>
    fc.assert(
      fc.property(anyBlocks, fc.func(fc.boolean()), (blocks, isClosed) => {
        const each = published(blocks, () => true)
        for (const [index, minute] of published(blocks, isClosed).entries())
          if (isClosed(index)) expect(minute).to.deep.equal(each[index])
      }),
    ))
})
