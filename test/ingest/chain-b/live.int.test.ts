import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { openEmbeddedLog } from '../../../infra/log/embedded/open-embedded-log.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { topics } from '../../../schemas/topics.ts'
import { createFakeChain, type FakeChain } from '../../support/chain-b/fake-helius/chain.ts'
import { expectedFacts } from '../../support/chain-b/fake-helius/expected-facts.ts'
import { createFaults } from '../../support/chain-b/fake-helius/faults.ts'
import { type FakeHelius, startFakeHelius } from '../../support/chain-b/fake-helius/server.ts'
import { type Service, startService } from '../../support/service.ts'
import { readCanonicalChainB } from './follow/canonical-facts.ts'

describe('the service on chain B alone, at a faulty Helius', () => {
  let fake: FakeHelius
  let service: Service | undefined
  let chain: FakeChain
  const dataDir = mkdtempSync(join(tmpdir(), 'launch-data-live-'))

  before(async () => {
    chain = await createFakeChain(5, Math.floor(Date.now() / 1000) - 60)
    chain.grow(90)
    fake = await startFakeHelius({ chain, faults: createFaults(5), isHelius: true })
  })
  after(async () => {
    await service?.kill()
    await fake?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  type Health = Readonly<{ source?: string | null; chains: Readonly<Record<string, Readonly<{ block?: number }>>> }>
  /** Returns the slot of the newest answer about the chain, or 0 before the first answer. */
  const slotOf = async ({ baseUrl }: Service): Promise<number> => {
    const { source, chains } = (await (await fetch(`${baseUrl}/v1/health`)).json()) as Health
    return source === 'chain' ? (chains.chainB?.block ?? 0) : 0
  }
  const goOn = async (count: number): Promise<void> => {
    for (let step = 0; step < count; step++) {
      fake.announce(chain.grow(1, true))
      await sleep(500)
    }
  }
  const goOnUntilAnswered = async (from: Service, slot: number): Promise<void> => {
    while ((await slotOf(from)) < slot) await goOn(1)
  }
  /** Makes one reorg. Waits for a first answer before that, because the start of the service can take long. */
  const liveOn = async (from: Service): Promise<void> => {
    await goOnUntilAnswered(from, 1)
    await goOn(5)
    fake.announce(chain.replace(4))
    await sleep(500)
    await goOnUntilAnswered(from, chain.head().slot + 20)
  }

  it('answers from the chain, and its topic is the chain', async () => {
    const environment = {
      DATA_DIR: dataDir,
      HELIUS_API_KEY: 'a-secret-key',
      CHAIN_B_RPC_URL: fake.url,
      CHAIN_B_WS_URL: fake.wsUrl,
    }
    service = await startService(environment)
    await liveOn(service)
    expect(service.errorOutput()).to.not.contain('a-secret-key')
    await service.stop()
    service = undefined

    const { log, registry, close } = await openEmbeddedLog(dataDir, { nowMs: Date.now, topicTable: topics })
    const { facts, ticks } = await readCanonicalChainB(log, await createIngestCodecs(chainBStage, registry))
    await close()
    const [first, last] = [ticks[0], ticks.at(-1)]
    const expected = expectedFacts(chain, { fromSlot: first?.blockNumber ?? 0, toSlot: last?.blockNumber ?? 0 })
    const idsOf = (list: typeof facts) =>
      list.map(
        ({ key, fact: { type, data } }) => `${key} ${data.blockNumber} ${data.blockHash} ${type} ${data.txIndex}`,
      )
    expect(idsOf(facts).sort()).to.deep.equal(idsOf(expected).sort())
    expect(facts).to.have.length.above(10)
  })
})
