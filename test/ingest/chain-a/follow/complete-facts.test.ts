import { expect } from 'chai'
import { pino } from 'pino'
import { withSenders, withTerms } from '../../../../ingest/chain-a/follow/complete-facts.ts'
import type { FollowDependencies } from '../../../../ingest/chain-a/follow/dependencies.ts'
import { launchpadsOf } from '../../../../ingest/chain-a/launchpads/configured.ts'
import { chainAContracts } from '../../../../ingest/chain-a/presets.ts'
import type { TokenFact } from '../../../../ingest/chain-a/types.ts'
import type { ChainAAddress } from '../../../../schemas/chain-a/addresses.ts'
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { addressOfDigits, hashOf } from '../build-log.ts'

const place = {
  ...{ blockNumber: 7, blockAtMs: 7000, txIndex: 0, logIndex: 0 },
  ...{ blockHash: hashOf('b'), txHash: hashOf('a') },
}
const keyed = (fact: ChainAFact): TokenFact => ({ key: addressOfDigits('7'), fact })
const launched = (curve: Hex, terms: object = {}): TokenFact =>
  keyed({
    type: 'CurveLaunched',
    data: {
      ...{ curve, launchpad: 'pons-v2', creator: addressOfDigits('a'), symbol: null },
      ...{ graduationWei: 1n, phantomWei: 0n, supplyRaw: 0n, ...terms, ...place },
    },
  })
const completed = (curve: Hex): TokenFact => keyed({ type: 'CurveCompleted', data: { curve, ...place } } as ChainAFact)
const addressOf = (curve: Hex) => ({ type: 'CurveAddress', data: { curve } }) as unknown as ChainAAddress

const [good, bad] = [addressOfDigits('c'), addressOfDigits('d')]
const terms = { symbol: 'X', graduationWei: 42n, phantomWei: 17n, supplyRaw: 1000n }

describe('what a log leaves out of a fact', () => {
  let asked: unknown[]
  beforeEach(() => {
    asked = []
  })
  const follower = () =>
    ({
      node: {
        request: async ({ params }: { params: readonly [Hex] }) => {
          asked.push(params[0])
          return { hash: params[0], from: addressOfDigits('5') }
        },
      },
      curves: {
        readTerms: async (launches: readonly { curve: Hex; blockNumber: number; launchpad: { name: string } }[]) => {
          asked.push(...launches.map(({ curve, blockNumber, launchpad: { name } }) => [curve, blockNumber, name]))
          return new Map([[good, terms]])
        },
      },
      launchpads: launchpadsOf(chainAContracts('robinhood')),
      ...{ signal: new AbortController().signal, logger: pino({ level: 'silent' }) },
    }) as unknown as FollowDependencies

  it('is read: the terms of a launched curve', async () => {
    const decoded = { facts: [launched(good), completed(good)], newAddresses: [addressOf(good)] }
    expect(await withTerms(follower(), decoded)).to.deep.equal({
      facts: [launched(good, terms), completed(good)],
      newAddresses: [addressOf(good)],
    })
    expect(asked).to.deep.equal([[good, 7, 'pons-v2']])
  })

  it('leaves a curve out with all its facts where it cannot be read, and no other', async () => {
    const facts = [launched(bad), completed(bad), launched(good), completed(good)]
    expect(await withTerms(follower(), { facts, newAddresses: [bad, good].map(addressOf) })).to.deep.equal({
      facts: [launched(good, terms), completed(good)],
      newAddresses: [addressOf(good)],
    })
  })

  it('is not asked for where nothing was launched', async () => {
    const decoded = { facts: [completed(good)], newAddresses: [] }
    expect(await withTerms(follower(), decoded)).to.deep.equal(decoded)
    expect(await withSenders(follower(), decoded.facts)).to.deep.equal(decoded.facts)
    expect(asked).to.deep.equal([])
  })

  it('is read: who sent the transaction that created a pool or added to it, and no other', async () => {
    const changed = (salt: Hex | null, liquidityDelta: bigint) =>
      keyed({
        type: 'LiquidityChanged',
        data: { pool: hashOf('1'), salt, liquidityDelta, txSender: null, ...place },
      } as ChainAFact)
    const created = keyed({ type: 'PoolCreated', data: { pool: hashOf('1'), txSender: null, ...place } } as ChainAFact)
    const facts = [
      ...[created, changed(hashOf('0'), 1n), changed(hashOf('0'), 0n), changed(hashOf('0'), -1n), changed(null, 1n)],
      completed(good),
    ]
    const complete = await withSenders(follower(), facts)
    expect(complete.map(({ fact: { data } }) => ('txSender' in data ? data.txSender : undefined))).to.deep.equal([
      ...[addressOfDigits('5'), addressOfDigits('5'), null, null, null],
      undefined,
    ])
  })
})
