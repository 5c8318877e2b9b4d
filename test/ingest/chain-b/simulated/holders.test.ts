import { expect } from 'chai'
import { hexOfBase58 } from '../../../../infra/base58.ts'
import { isOperationError } from '../../../../infra/errors.ts'
import type { Simulator } from '../../../../ingest/chain-b/simulated/simulator.ts'
import type { MintFact } from '../../../../ingest/chain-b/types.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { boughtOf } from './tape.ts'
import { factsOf, hourMs, never, rangesOf, simulatorOver, tapesOf } from './tell.ts'

const fromMs = Date.UTC(2026, 10, 20, 7)
const told = { seed: 4, fromMs, toMs: fromMs + 4 * hourMs, launchesPerDay: 900 }
const supplyRaw = 1_000_000_000_000_000n
const incinerator = hexOfBase58('1nc1nerator11111111111111111111111111111111', 32) as Hex
type Tape = readonly MintFact['fact'][]

const holdersAt = async (simulator: Simulator, key: string, slot: number): Promise<ReadonlyMap<Hex, bigint> | null> => {
  try {
    const holders = await simulator.readHolders({ mint: hexOfBase58(key, 32) as Hex, slot }, never)
    return new Map(holders.map(({ owner, tokenRaw }) => [owner, tokenRaw]))
  } catch (error) {
    if (isOperationError(error, 'node_refused')) return null
    throw error
  }
}

/** Returns the 20 largest amounts of tokens: what traders still hold, and the rest. */
function amountsAt(tape: Tape, slot: number) {
  const bought = [...boughtOf(tape.filter(({ data }) => data.blockNumber <= slot)).values()].filter((raw) => raw > 0n)
  const restRaw = bought.reduce((rest, tokenRaw) => rest - tokenRaw, supplyRaw)
  const amounts = [...bought, restRaw].sort((left, right) => (left < right ? 1 : -1)).slice(0, 20)
  return { amounts, restRaw }
}

/**
 * Returns the owner of the tokens that no trader holds. The owner is the curve, or the pool as soon as the
 * pool has opened.
 */
function venueAt(tape: Tape, slot: number): Hex {
  const venues = tape.flatMap(({ type, data }): Hex[] => {
    if (data.blockNumber > slot) return []
    return type === 'CurveLaunched' ? [data.curve] : type === 'CurveMigrated' ? [data.pool] : []
  })
  return venues.at(-1) as Hex
}

describe('the simulated node, asked who holds a mint', () => {
  let simulator: Simulator
  let tapes: ReadonlyMap<string, Tape>

  before(async () => {
    simulator = simulatorOver(told)
    tapes = tapesOf(factsOf(await rangesOf(told)))
  })

  it('answers with what was traded up to that slot, the 20 largest', async () => {
    const owners = new Set<string>()
    const slots = [...tapes].flatMap(([key, tape]) =>
      [0, Math.floor((tape.length * 2) / 3)].map((index) => ({ key, tape, slot: tape[index]?.data.blockNumber ?? 0 })),
    )
    for (const { key, tape, slot } of slots) {
      const holders = await holdersAt(simulator, key, slot)
      if (holders === null) continue
      const { amounts, restRaw } = amountsAt(tape, slot)
      expect([...holders.values()], key).to.deep.equal(amounts)
      expect(holders.get(venueAt(tape, slot)), key).to.equal(restRaw)
      for (const owner of holders.keys()) owners.add(owner)
    }
    expect(owners.has(incinerator)).to.equal(true)
    const pools = [...tapes.values()].flat().flatMap(({ type, data }) => (type === 'CurveMigrated' ? [data.pool] : []))
    expect(pools.some((pool) => owners.has(pool))).to.equal(true)
  })

  it('does not know the holders of some mints, nor those of mints of another chain', async () => {
    const answers = await Promise.all(
      [...tapes.keys()].map((key) => holdersAt(simulator, key, tapes.get(key)![0]!.data.blockNumber)),
    )
    const failed = answers.filter((answer) => answer === null).length
    expect(failed / answers.length).to.be.within(0.003, 0.08)
    const stranger = simulatorOver({ ...told, seed: 5 })
    expect(await holdersAt(stranger, [...tapes.keys()][0]!, 500_000_000)).to.equal(null)
  })
})

describe('the lookup of holders', () => {
  it('is asked with the mint and the slot of the question, and names a withdrawn one by its mint', async () => {
    const simulator = simulatorOver({ ...told, toMs: fromMs })
    const [lookup] = simulator.lookups
    const [first] = factsOf(await rangesOf({ ...told, toMs: fromMs + hourMs }))
    const { key, fact } = first as MintFact
    const slot = fact.data.blockNumber
    const asked = { questionId: `${key}:7`, revision: 1, atMs: 7, slot, slotHash: fact.data.blockHash }
    expect(lookup!.questionIdOf({ recordType: 'HoldersAsked', atMs: 7 }, key)).to.equal(asked.questionId)
    const finding = await lookup!.find(asked, { signal: never, ageMs: () => 0 })
    const holders = await simulator.readHolders({ mint: hexOfBase58(key, 32) as Hex, slot }, never)
    expect(finding).to.deep.equal({ found: holders })
    expect(lookup!.answerOf(asked, holders)).to.deep.equal({ holders })
    let thrown: unknown
    await lookup!
      .find({ ...asked, questionId: 'nothing:7' }, { signal: never, ageMs: () => 0 })
      .catch((error) => (thrown = error))
    expect(isOperationError(thrown, 'node_refused')).to.equal(true)
  })
})
