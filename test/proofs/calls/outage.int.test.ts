/** The chats cannot be reached for an hour. Both chains continue, and the answers report the outage. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import type { Shop } from '../answers/shop.ts'
import { createWorld, openWholeShop, projectOn } from './derive/project.ts'
import { runLive } from './live.ts'

const minuteMs = 60_000
/** The largest age of the data, in seconds. A minute of blocks becomes known a moment after its last block. */
const ageSecMost = 62
const fromMs = Date.UTC(2026, 8, 1)
const at = (minute: number): number => fromMs + minute * minuteMs

//   minute    0          20                    80       90
//   chats     posts      |  cannot be reached  |  read late
//   chains    blocks ……………………………………………………………………………………………
const outage = { fromMs: at(20), toMs: at(80) }
const plan = {
  ...{ seed: 3, fromMs, toMs: at(90), callers: 40, callsPerHour: 60, outage },
  ...{ chainALaunchesPerDay: 510, chainBLaunchesPerDay: 1000 },
}

type Health = Readonly<{ dataAgeSec: number; chains: Readonly<Record<string, Readonly<{ dataAgeSec: number }>>> }>
type Refusal = Readonly<{ code: string }>
type Calls = Readonly<{ calls: readonly Readonly<{ calledAt: number; late: boolean }>[] }>

describe('an outage of the chats', function () {
  this.timeout(300_000)

  let dataDir: string
  let database: Database
  let shop: Shop
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-outage-'))
    const world = await createWorld(fromMs)
    await runLive(plan, { ...world, signal: new AbortController().signal })
    database = await createDatabase({ dataDir, role: 'writer' })
    await projectOn(world, database)
    shop = await openWholeShop(database)
  })
  after(async () => {
    await shop?.close()
    await database?.close()
    await rm(dataDir, { recursive: true, force: true })
  })
  const healthAt = async (minute: number) => (await shop.look('/v1/health', at(minute))).body as Health
  const codeAt = async (path: string, minute: number) => ((await shop.look(path, at(minute))).body as Refusal).code

  it('shows in the age of the data, which is that of the chats', async () => {
    const before = await healthAt(19)
    expect(before.dataAgeSec).to.be.at.most(ageSecMost)
    const during = await healthAt(60)
    expect(during.dataAgeSec).to.be.within(2400, 2400 + ageSecMost)
    const ages = Object.values(during.chains).map(({ dataAgeSec }) => dataAgeSec)
    expect(ages.sort((one, other) => one - other)[1]).to.be.at.most(ageSecMost)
    expect((await healthAt(85)).dataAgeSec).to.be.at.most(ageSecMost)
  })

  it('stops what tells of calls, and nothing else', async () => {
    const live = '/v1/sol/calls/live?minutes=120'
    for (const [minute, code] of [
      [19, 'payment_required'],
      [60, 'data_stale'],
      [85, 'payment_required'],
    ] as const) {
      expect(await codeAt(live, minute), `${minute}`).to.equal(code)
      for (const path of ['/v1/rh/bursts/live', '/v1/sol/bursts/live', '/v1/snapshot'])
        expect(await codeAt(path, minute), `${path} at ${minute}`).to.equal('payment_required')
    }
    expect(await shop.buy('/v1/rh/bursts/live?tier=all', at(60))).to.have.property('bursts')
  })

  it('is a gap of each chat, as long as it was', async () => {
    const rows = await database.query<Readonly<{ from: string; to: string }>>(
      'SELECT DISTINCT from_at_ms AS from, to_at_ms AS to FROM chat_gaps',
    )
    expect(rows.map(({ from, to }) => [Number(from), Number(to)])).to.deep.equal([[outage.fromMs, outage.toMs]])
  })

  it('leaves calls that are known late, and say so', async () => {
    const { calls } = (await shop.buy('/v1/sol/calls/live?minutes=120', at(85))) as Calls
    const duringIt = calls.filter(({ calledAt }) => calledAt >= outage.fromMs && calledAt < outage.toMs)
    expect(duringIt).not.to.deep.equal([])
    for (const call of calls) expect(call.late, `${call.calledAt}`).to.equal(duringIt.includes(call))
  })
})
