/** The examples of infra/docs/test-driver.md. The last test compares them with the guide. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { minutes } from '../../../processors/chain-a/minutes/processor.ts'
import { pools } from '../../../processors/chain-a/pools/processor.ts'
import { createTestDriver } from '../../../processors/runtime/test-driver.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { buildPoolCreated, buildSwap, second, testToken } from '../../support/build-facts.ts'
import { given } from '../../support/given-chain-a.ts'

describe('the guide to the test driver', () => {
  it('publishes a minute when its slot has ended, also after a restart', () => {
    // example: driver
    const driver = createTestDriver({ stage: chainAStage, processors: [pools, minutes] })
    driver.fact(testToken, buildPoolCreated({ blockAtMs: second(0) }))
    driver.fact(testToken, buildSwap({ blockAtMs: second(3), eth: 0.5 }))

    const opened = driver.tick(second(5))
    expect(opened.map(({ record }) => record.type)).to.deep.equal(['PoolOpened'])

    driver.restart()
    const [minute] = driver.tick(second(11))
    expect(minute?.record).to.deep.include({ type: 'PoolMinute' })
    expect(minute?.record.data).to.include({ buys: 1, buyWei: 5n * 10n ** 17n })
    expect(driver.counts()).to.deep.equal({ tokens: 1, timers: 1 })
    // end
  })

  it('says the same in one sentence', () => {
    // example: given
    const published = given([pools, minutes], [buildPoolCreated({ blockAtMs: second(0) })])
      .when(buildSwap({ blockAtMs: second(3), eth: 0.5 }))
      .wokenAt(second(10) - 1)
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
