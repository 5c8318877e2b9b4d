import { expect } from 'chai'
import type { TokenFact } from '../../../../ingest/chain-a/types.ts'
import type { LiquidityChanged, PoolCreated, PositionTransferred } from '../../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { bookOf, factsOf, hourMs, never, rangesOf, simulatorOver } from './tell.ts'

const nobody = `0x${'0'.repeat(40)}`
const dead = '0x000000000000000000000000000000000000dead'

/**
 * A liquidity position with its owner. This test computes positions from the published facts alone, without
 * code of the simulator.
 */
type Held = { owner: string; liquidity: bigint }
type PoolBook = { created: PoolCreated; positions: Map<string, Held>; insiders: Set<string> }

function fold(facts: readonly TokenFact[], visit: (book: PoolBook, fact: TokenFact['fact']) => void = () => {}) {
  const books = new Map<string, PoolBook>()
  for (const { fact } of facts) {
    if (fact.type === 'PoolCreated')
      books.set(fact.data.pool, {
        created: fact.data,
        positions: new Map(),
        insiders: new Set([fact.data.txSender as string]),
      })
    const book = 'pool' in fact.data ? books.get(fact.data.pool) : undefined
    if (!book) continue
    if (fact.type === 'PositionTransferred') transfer(book, fact.data)
    if (fact.type === 'LiquidityChanged') change(book, fact.data)
    visit(book, fact)
  }
  return books
}

function transfer({ positions }: PoolBook, { positionId, from, to }: PositionTransferred): void {
  const held = positions.get(positionId)
  expect(held?.owner ?? nobody, 'it leaves who has it').to.equal(from)
  if (held) held.owner = to
  else positions.set(positionId, { owner: to, liquidity: 0n })
}

function change(book: PoolBook, { positionId, owner, salt, liquidityDelta, txSender }: LiquidityChanged): void {
  const { positions, insiders } = book
  if (liquidityDelta > 0n && txSender) insiders.add(txSender)
  const key = positionId ?? `${owner} ${salt}`
  const held = positions.get(key) ?? { owner: positionId ? 'unseen' : 'contract', liquidity: 0n }
  positions.set(key, { ...held, liquidity: held.liquidity + liquidityDelta })
}

describe('the positions of the simulated market', () => {
  const fromMs = Date.UTC(2026, 10, 20, 3)
  const told = { seed: 7, fromMs, toMs: fromMs + 8 * hourMs, launchesPerDay: 240 }
  let facts: readonly TokenFact[]

  before(async () => {
    facts = factsOf(await rangesOf(told))
  })

  it('are held, burned, locked, split, added by contracts and minted to nobody knows whom, pulled and burned', () => {
    const holders = new Map<string, number>()
    let burned = 0
    const books = fold(facts, (_book, fact) => {
      if (fact.type === 'PositionTransferred' && fact.data.to === nobody) burned++
    })
    for (const { created, positions, insiders } of books.values()) {
      if (created.dex === 'v3') continue
      const kinds = new Set([...positions.values()].map(({ owner }) => kindOf(owner, insiders)))
      const text = [...kinds].sort().join(' ')
      holders.set(text, (holders.get(text) ?? 0) + 1)
    }
    for (const kind of ['contract', 'dead', 'insider', 'other', 'insider other', 'unseen'])
      expect(holders.get(kind) ?? 0, kind).to.be.above(1)
    expect(burned).to.be.above(2)
  })

  it('name who sent each creation and each add, as the lookup does', async () => {
    const { readSenders } = simulatorOver(told)
    const named = facts.flatMap(({ fact }) => {
      const isAdd = fact.type === 'LiquidityChanged' && fact.data.salt !== null && fact.data.liquidityDelta > 0n
      return isAdd || fact.type === 'PoolCreated' ? [[fact.data.txHash, fact.data.txSender] as const] : []
    })
    expect(named.length).to.be.above(50)
    const senders = await readSenders(
      named.map(([hash]) => hash),
      never,
    )
    for (const [hash, sender] of named) expect(sender).to.equal(senders.get(hash))
    const others = facts.filter(({ fact }) => fact.type === 'LiquidityChanged' && fact.data.liquidityDelta <= 0n)
    expect(others.every(({ fact }) => 'txSender' in fact.data && fact.data.txSender === null)).to.equal(true)
  })

  it('are in the address book, each with its pool', async () => {
    const { positions } = bookOf(await rangesOf(told))
    const minted = facts.flatMap(({ fact }) =>
      fact.type === 'PositionTransferred' && fact.data.from === nobody ? [fact.data] : [],
    )
    expect([...positions]).to.deep.equal(minted.map(({ positionId, pool }) => [positionId, pool]))
  })

  it('have the owner that the lookup names, at the end of any block, but for a few that it does not know', async () => {
    const { readOwners } = simulatorOver(told)
    let compared = 0
    let unknown = 0
    let lastBlock = 0
    const due: Promise<void>[] = []
    const check = async (blockNumber: number, expected: ReadonlyMap<string, string>) => {
      const positionIds = [...expected.keys()] as Hex[]
      const found = await readOwners({ blockNumber, blockHash: '0x', positionIds }, never)
      const isUnknown = [...found.values()].every((owner) => owner === null)
      if (isUnknown) unknown += expected.size
      else
        for (const [id, owner] of expected) {
          const told = found.get(id) ?? (owner === 'unseen' ? 'unseen' : nobody)
          expect(told, `${id} at ${blockNumber}`).to.equal(owner)
        }
      compared += expected.size
    }
    fold(facts, (book, { data: { blockNumber } }) => {
      // At the first fact of every 50th block, checks the state at the end of the block before.
      if (blockNumber === lastBlock || blockNumber % 50 !== 0) return
      lastBlock = blockNumber
      const nfts = [...book.positions].filter(([, { owner }]) => owner !== 'contract')
      due.push(check(blockNumber - 1, new Map(nfts.map(([id, { owner }]) => [id, owner]))))
    })
    await Promise.all(due)
    expect(compared).to.be.above(100)
    // `readOwners` returns null for burned positions, so they count as unknown here.
    expect(unknown / compared).to.be.within(0.01, 0.3)
  })
})

const kindOf = (owner: string, insiders: ReadonlySet<string>): string => {
  if (owner === 'contract' || owner === 'unseen' || owner === nobody) return owner === nobody ? 'gone' : owner
  if (owner === dead) return 'dead'
  return insiders.has(owner) ? 'insider' : 'other'
}
