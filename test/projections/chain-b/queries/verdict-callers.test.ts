import { expect } from 'chai'
import type { Database } from '../../../../infra/clickhouse/database.ts'
import { createMintCallers } from '../../../../projections/chain-b/queries/verdict-callers.ts'
import type { StageCut } from '../../../../projections/cuts.ts'
import { createDeferred, type Deferred } from '../../../support/log/kafka-double/deferred.ts'

const cutAt = (atMs: number): StageCut => ({
  ...{ atMs, blockNumber: 1, blockAtMs: atMs, coinPrice: null, source: 'simulated' },
})
const caller = { chat: '-1', poster: 'ada' }
/** The results of the only caller: one call, which won. */
const results = [{ ...caller, ownUnits: '1000000000000', wonUnits: '1000000000000' }]
const won = { count: 1, win35: 1 }

describe('the results of callers', () => {
  let pending: Deferred<typeof results>[]
  let callersOf: ReturnType<typeof createMintCallers>

  beforeEach(() => {
    pending = []
    const refuse = () => expect.fail('nothing is written')
    const database: Database = {
      name: 'of the test',
      // Only the query of the callers has a parameter, the mint.
      async query<Row>(_sql: string, parameters?: object) {
        if (parameters !== undefined) return [caller] as Row[]
        const answer = createDeferred<typeof results>()
        pending.push(answer)
        return (await answer.promise) as Row[]
      },
      ...{ insert: refuse, command: refuse, close: refuse },
    }
    callersOf = createMintCallers(database)
  })

  /** Asks for the callers at a cut. Resolves when the query of the results is sent, or when it is not needed. */
  const ask = async (atMs: number) => {
    const asked = callersOf(cutAt(atMs), 'mint')
    asked.catch(() => {})
    await new Promise(setImmediate)
    return { asked }
  }
  const failed = new TypeError('the query failed')

  it('are read once for all mints of a cut, while they are read and afterwards', async () => {
    const [one, other] = [await ask(1), await ask(1)]
    expect(pending).to.have.lengthOf(1)
    pending[0]?.resolve(results)
    expect(await Promise.all([one.asked, other.asked])).to.deep.equal([won, won])
    const later = await ask(1)
    expect(pending).to.have.lengthOf(1)
    expect(await later.asked).to.deep.equal(won)
  })

  it('are read again after they could not be read', async () => {
    const { asked } = await ask(1)
    pending[0]?.reject(failed)
    expect(await asked.catch((error) => error)).to.equal(failed)
    const again = await ask(1)
    expect(pending).to.have.lengthOf(2)
    pending[1]?.resolve(results)
    expect(await again.asked).to.deep.equal(won)
  })

  it('stay known at a newer cut when those of an older cut cannot be read', async () => {
    const old = await ask(1)
    const current = await ask(2)
    pending[1]?.resolve(results)
    await current.asked
    pending[0]?.reject(failed)
    expect(await old.asked.catch((error) => error)).to.equal(failed)
    const again = await ask(2)
    expect(pending).to.have.lengthOf(2)
    expect(await again.asked).to.deep.equal(won)
  })
})
