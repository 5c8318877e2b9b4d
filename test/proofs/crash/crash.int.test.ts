/** A sample of `npm run crash`, and tests that need killed processes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEmbeddedLog } from '../../../infra/log/embedded/embedded-log.ts'
import { valuesOf } from '../../contracts/log-contract.ts'
import { type Calm, runCalm, runCampaign } from './campaign.ts'
import { differences } from './contents.ts'
import { contentsOf, runChild, span as wholeSpan } from './killer.ts'
import { transactionOf } from './open-transaction.ts'

/** A shorter span with fewer ranges. */
const span = { ...wholeSpan, toMs: wholeSpan.fromMs + 1.5 * 3_600_000, rangeSec: 120 }
/** After a writer's death, readers must see the records of other writers within this time. */
const recoveryMsMax = 10_000

describe('processes that are killed', function () {
  // About thirty processes run in sequence. A quiet machine needs less than a minute, and a busy machine
  // needs much more.
  this.timeout(600_000)

  let root: string
  let calm: Calm
  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'killed-'))
    calm = await runCalm({ dataDir: join(root, 'calm'), span })
  })
  after(() => rmSync(root, { recursive: true }))

  it('are compared in every topic, table and query, none of which is empty', () => {
    const hasNothing = ([, lines]: [string, readonly string[]]) => lines.every((line) => line === 'null')
    const empty = Object.entries(calm.contents).filter(hasNothing)
    expect(empty.map(([name]) => name)).to.deep.equal([])
  })

  it('leave the log, the tables and the answers that an undisturbed process leaves', async () => {
    const report = await runCampaign({
      calm,
      killCount: 8,
      seed: 1,
      sideKillCount: 1,
      paymentPoints: ['payment-settled-unrecorded'],
    })
    expect(report.mismatches).to.deep.equal([])
    expect(report.kills).to.be.at.least(8)
    expect(report.byPoint).to.include.keys(
      'rebuild-exchanged',
      'retention-days-forgotten',
      'payment-settled-unrecorded',
    )
  })

  it('lose rows where a batch is confirmed before its rows are in', async () => {
    const folder = { dataDir: join(root, 'confirmed-first'), span }
    expect(await runChild({ ...folder, job: 'runConfirmingFirst' })).to.include({ ending: 'killed' })
    await runChild({ ...folder, job: 'run' })
    const found = differences(calm.contents, await contentsOf(folder)).map((text) => text.split(':')[0] ?? '')
    // Which rows are missing depends on chance.
    expect(found).not.to.deep.equal([])
    const isOfLog = (name: string) => name.includes('/')
    expect(found.filter(isOfLog)).to.deep.equal([])
  })

  for (const kind of ['ingest', 'stage'] as const)
    it(`hold nobody up when the ${kind} dies with its transaction open`, async () => {
      const dataDir = join(root, `open-${kind}`)
      const beside = await createEmbeddedLog({ dataDir, nowMs: () => 0 })
      const other = await beside.openWriter('lookups-chain-a', { isTransactional: false })
      const append = (value: string) =>
        other.append([{ topic: 'chain-a-facts', partition: 1, key: 'k', value: Buffer.from(value) }])
      await append('before')
      const job = kind === 'ingest' ? 'dieAsIngest' : 'dieAsStage'
      expect(await runChild({ job, dataDir, span })).to.include({ ending: 'killed' })

      const startedAtMs = performance.now()
      await append('after')
      const reopened = await createEmbeddedLog({ dataDir, nowMs: () => 0 })
      const facts = kind === 'ingest' ? ['before', 'stays', 'after'] : ['before', 'after']
      for (const log of [beside, reopened]) {
        expect(await valuesOf(log, 'chain-a-facts', 1)).to.deep.equal(facts)
        const [{ topic, partition }] = transactionOf(kind, '') as [ReturnType<typeof transactionOf>[number]]
        expect((await valuesOf(log, topic, partition)).filter((value) => value !== 'before')).to.deep.equal(['stays'])
      }
      expect(performance.now() - startedAtMs).to.be.lessThan(recoveryMsMax)
      await reopened.close()
      await beside.close()
    })
})
