/** The examples of infra/docs/test-driver.md. The last test compares them with the guide. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { minutes } from '../../../processors/chain-a/minutes/processor.ts'
import { pools } from '../../../processors/chain-a/pools/processor.ts'
import { createTestDriver } from '../../../processors/runtime/test-driver.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { buildPoolCreated, buildSwap, second, testToken } from '../../support/builders/build-facts.ts'
import { given } from '../../support/given-chain-a.ts'

describe('the guide to the test driver', () => {
  it('publishes a swap with its block, and the next one ten seconds later, also after a restart', () => {
    // example: driver
    const driver = createTestDriver({ stage: chainAStage, processors: [pools, minutes] })
    driver.fact(testToken, buildPoolCreated({ blockAtMs: second(0) }))
    driver.fact(testToken, buildSwap({ blockAtMs: second(3), eth: 0.5 }))

    const first = driver.tick(second(5))
    expect(first.map(({ record }) => record.type)).to.deep.equal(['PoolOpened', 'PoolMinute'])

    driver.fact(testToken, buildSwap({ blockAtMs: second(6), eth: 0.5 }))
    expect(driver.tick(second(13))).to.deep.equal([])

    driver.restart()
    const [minute] = driver.tick(second(14))
    expect(minute?.record).to.deep.include({ type: 'PoolMinute' })
    expect(minute?.record.data).to.include({ buys: 2, buyWei: 10n ** 18n })
    expect(driver.counts()).to.deep.equal({ tokens: 1, timers: 1 })
    // end
  })

  it('says the same in one sentence', () => {
    // example: given
    const past = [buildPoolCreated({ blockAtMs: second(0) }), buildSwap({ blockAtMs: second(3), eth: 0.5 })]
    const published = given([pools, minutes], past)
      .when(buildSwap({ blockAtMs: second(6), eth: 0.5 }))
      .wokenAt(second(13))
    expect(published.records.map(({ type }) => type)).to.deep.equal(['PoolMinute'])
    // end
  })

  it('shows these very examples', () => {
    const source = readFileSync(new URL(import.meta.url), 'utf8')
    const guide = readFileSync(new URL('../../../infra/docs/test-driver.md', import.meta.url), 'utf8')
    for (const name of ['driver', 'given']) {
      const [, example = ''] = new RegExp(`// example: ${name}\n(.*?) *// end`, 's').exec(source) ?? []
      expect(example).not.to.equal('')
      expect(guide).to.include(`\`\`\`ts\n${example.replaceAll(/^ {4}/gm, '')}\`\`\``)
    }
  })
})
