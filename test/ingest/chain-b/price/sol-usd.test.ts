import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { address, getProgramDerivedAddress } from '@solana/kit'
import { expect } from 'chai'
import { pino } from 'pino'
import { readConfig } from '../../../../infra/config.ts'
import { OperationError } from '../../../../infra/errors.ts'
import { type PriceAccount, readPyth, solUsdFeedId } from '../../../../ingest/chain-b/price/pyth.ts'
import { createSolUsdReader } from '../../../../ingest/chain-b/price/sol-usd.ts'

const solUsdAccount = readConfig({}).CHAIN_B_SOL_USD_FEED
const owner = 'rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ'
const recorded: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../fixtures/chain-b/sol-usd.json'), 'utf8'),
)
const accountOf = (day: string): PriceAccount => ({ owner, bytes: Buffer.from(recorded[day] ?? '', 'base64') })
const publishedAtMs = Date.parse('2026-10-07T08:04:18Z')
const read = (account: PriceAccount, laterMs = 0) => readPyth(account, solUsdFeedId, publishedAtMs + laterMs)

/** Returns the newest recorded account with some bytes replaced. */
function changed(offset: number, bytes: Buffer): PriceAccount {
  const account = accountOf('2026-10-07')
  bytes.copy(account.bytes, offset)
  return account
}

const int64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(value)
  return bytes
}

describe('SOL/USD from Pyth', () => {
  it('is read from the recorded accounts, with the time that it was published', () => {
    const pricesOf = (day: string, time: string) =>
      readPyth(accountOf(day), solUsdFeedId, Date.parse(`${day}T${time}Z`))
    expect(pricesOf('2025-01-11', '03:29:00')).to.deep.equal({
      price: { usd: 185.84691019, atMs: Date.parse('2025-01-11T03:28:33Z') },
    })
    expect(pricesOf('2026-08-22', '09:58:26')).to.deep.equal({
      price: { usd: 93.85943752, atMs: Date.parse('2026-08-22T09:58:26Z') },
    })
    expect(read(accountOf('2026-10-07'))).to.deep.equal({ price: { usd: 118.62164451, atMs: publishedAtMs } })
  })

  it('stands in the account that the push oracle derives for its feed', async () => {
    const programAddress = address('pythWSnswVUd12oZpeFP8e9CVaEqJg25g1Vtc2biRsT')
    const seeds = [Uint8Array.of(0, 0), Buffer.from(solUsdFeedId, 'hex')]
    expect((await getProgramDerivedAddress({ programAddress, seeds }))[0]).to.equal(solUsdAccount)
  })

  const tooUncertain = int64(11_862_164_451n / 50n + 1n)
  const unusable: readonly (readonly [string, PriceAccount, RegExp])[] = [
    [
      'another program’s account',
      { ...accountOf('2026-10-07'), owner: '1'.repeat(32) },
      /does not belong to the Pyth receiver/,
    ],
    ['another kind of account', changed(0, Buffer.of(0)), /not a price update/],
    ['an account that is cut', { owner, bytes: accountOf('2026-10-07').bytes.subarray(0, 100) }, /not a price update/],
    ['a price with some of the signatures', changed(40, Buffer.of(0)), /not fully verified/],
    ['another feed', changed(41, Buffer.of(0)), /another feed/],
    ['a price of zero', changed(73, int64(0n)), /not above 0/],
    ['a negative price', changed(73, int64(-1n)), /not above 0/],
    ['a price that is no number', changed(89, Buffer.of(0xff, 0xff, 0xff, 0x7f)), /not above 0/],
    ['an uncertain price', changed(81, tooUncertain), /confidence interval/],
    ['a time that no date has', changed(93, int64(-(2n ** 62n))), /too old: second -/],
  ]
  for (const [name, account, problem] of unusable)
    it(`is not read from ${name}`, () => {
      const reading = read(account)
      expect('problem' in reading && reading.problem).to.match(problem)
    })

  it('counts for an hour, and not when it is of the future', () => {
    const account = accountOf('2026-10-07')
    expect(read(account, 3_600_000)).to.have.property('price')
    expect(read(account, 3_600_001)).to.deep.equal({ problem: 'the price is too old: 2026-10-07T08:04:18.000Z' })
    expect(read(account, -60_000)).to.have.property('price')
    expect(read(account, -60_001)).to.have.property('problem')
    expect(read(changed(81, int64(11_862_164_451n / 50n)))).to.have.property('price')
  })
})

describe('the reader of SOL/USD', () => {
  const never = new AbortController().signal
  const told: Record<string, unknown>[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void told.push(JSON.parse(line)) })
  const options = { feed: solUsdAccount, nowMs: () => publishedAtMs, logger }
  beforeEach(() => {
    told.length = 0
  })

  it('tells of every failure with the time of its last price, gives nothing then, and never throws', async () => {
    const answers: (PriceAccount | null | 'away')[] = [accountOf('2026-10-07'), accountOf('2025-01-11'), null, 'away']
    const readAccount = async () => {
      const answer = answers.shift()
      if (answer === 'away' || answer === undefined) throw new OperationError('node_unreachable', 'the node is away')
      return answer
    }
    const readPrice = createSolUsdReader({ ...options, readAccount })
    expect((await readPrice(never))?.usd).to.equal(118.62164451)
    expect([await readPrice(never), await readPrice(never), await readPrice(never)]).to.deep.equal([null, null, null])
    const lastPriceAt = '2026-10-07T08:04:18.000Z'
    expect(told.map(({ reason, ...line }) => [reason, line.lastPriceAt])).to.deep.equal([
      ['the price is too old: 2025-01-11T03:28:33.000Z', lastPriceAt],
      ['the account does not exist', lastPriceAt],
      ['the node is away', lastPriceAt],
    ])
  })

  it('waits no longer than its limit, and is silent when it is stopped', async () => {
    const hangs = (_: string, signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      })
    expect(await createSolUsdReader({ ...options, readAccount: hangs, limitMs: 20 })(never)).to.equal(null)
    expect(told).to.have.lengthOf(1)
    const stop = new AbortController()
    const reading = createSolUsdReader({ ...options, readAccount: hangs })(stop.signal)
    stop.abort()
    expect(await reading).to.equal(null)
    expect(told).to.have.lengthOf(1)
  })
})
