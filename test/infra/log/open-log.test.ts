import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readConfig } from '../../../infra/config.ts'
import { OperationError } from '../../../infra/errors.ts'
import { logChoiceOf, logSettings, type OpenLog, openLog } from '../../../infra/log/open-log.ts'
import { topics } from '../../../schemas/topics.ts'
import { expectFailure, fact } from '../../contracts/log-contract.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { makeOfBefore } from './embedded/log-of-before.ts'

const cluster = { KAFKA_BROKERS: 'a:9092', SCHEMA_REGISTRY_URL: 'http://r', KAFKA_TOPIC_PREFIX: 'test-' }
const login = { KAFKA_SASL_USERNAME: 'launch', KAFKA_SASL_PASSWORD: 'pa55word' }

describe('the log that the configuration names', () => {
  it('is embedded, and belongs to one process, if no brokers are configured', () => {
    const choice = logChoiceOf(readConfig({}))
    expect(choice.isShared).to.equal(false)
    expect(choice.warnings).to.deep.equal([])
    expect(logSettings(readConfig({}), { nowMs: Date.now, logger: silentLogger })).to.not.have.property('kafka')
  })

  it('is on the configured cluster, and is shared by processes', () => {
    const config = readConfig(cluster)
    expect(logChoiceOf(config).isShared).to.equal(true)
    const { kafka } = logSettings(config, { nowMs: Date.now, logger: silentLogger })
    expect(kafka).to.deep.include({ brokers: ['a:9092'], registryUrl: 'http://r', topicPrefix: 'test-', security: {} })
  })

  it('warns of a password in the clear, and does not repeat it', () => {
    const plain = { ...cluster, ...login, KAFKA_SASL_MECHANISM: 'plain' }
    const { warnings } = logChoiceOf(readConfig(plain))
    expect(warnings.join()).to.contain('without encryption').and.not.contain('pa55word')
    for (const other of [
      { ...plain, KAFKA_SSL: 'true' },
      { ...plain, KAFKA_SASL_MECHANISM: 'scram-sha-256' },
    ])
      expect(logChoiceOf(readConfig(other)).warnings).to.deep.equal([])
  })
})

describe('workers on an embedded log', () => {
  let dataDir: string
  let open: OpenLog
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-open-log-'))
    open = await openLog({ dataDir, nowMs: Date.now })
  })
  after(async () => {
    await open?.close()
    await rm(dataDir, { recursive: true })
  })

  const run = (index: number, work: (partitions: readonly number[], signal: AbortSignal) => Promise<void>) => {
    const { signal } = new AbortController()
    const sharing = { groupId: 'g', topic: topics['chain-a-facts'], share: { index, count: 3 }, signal, work }
    return open.sharePartitions(sharing)
  }

  it('get every partition once, without a group', async () => {
    const given: (readonly number[])[] = []
    for (const index of [0, 1, 2]) await run(index, async (partitions) => void given.push(partitions))
    expect(given).to.deep.equal([[0, 3], [1], [2]])
  })

  it('end with the first failure: an embedded log has none that passes', async () => {
    const failing = run(0, async () => {
      throw new OperationError('writer_fenced', 'on purpose')
    })
    await expectFailure(failing, 'writer_fenced')
    expect(open.restartPauseMs(new OperationError('writer_fenced', 'on purpose'), 1)).to.equal(null)
  })

  it('start with a notice while the log has records from before checksums, and with none before', async () => {
    expect(open.notices).to.deep.equal([])
    await (await open.log.openWriter('w')).append([fact(0, 'old')])
    await open.close()
    await makeOfBefore(dataDir)
    for (const _ of ['first', 'second']) {
      open = await openLog({ dataDir, nowMs: Date.now })
      expect(open.notices).to.have.lengthOf(1)
      expect(open.notices?.[0]).to.match(/^1 records of the log have no checksums/)
      await open.close()
    }
    open = await openLog({ dataDir, nowMs: Date.now })
  })
})
