import { expect } from 'chai'
import { pino } from 'pino'
import { readConfig } from '../../infra/config.ts'
import { configuredChains } from '../../ingest/chains.ts'

const surroundings = { nowMs: () => 0, logger: pino({ level: 'silent' }) }
const kindsOf = (environment: NodeJS.ProcessEnv) =>
  configuredChains(readConfig(environment), surroundings).map(({ stage, source }) => [stage.name, source.kind])

describe('the chains that ingest runs', () => {
  it('are all simulated when none is configured', () => {
    expect(kindsOf({})).to.deep.equal([
      ['chain-a', 'simulated'],
      ['chain-b', 'simulated'],
      ['chats', 'simulated'],
    ])
  })

  it('begin as long ago as it is configured, 3 hours if nothing is said, where they are simulated', async () => {
    const nowMs = Date.UTC(2026, 8, 1)
    const { signal } = new AbortController()
    const begunBefore = async (environment: NodeJS.ProcessEnv): Promise<readonly number[]> => {
      const chains = configuredChains(readConfig(environment), { ...surroundings, nowMs: () => nowMs })
      const heads = chains.map(async ({ source, addressBook }) => {
        const nothing = { blocksFrom: async () => [], factIdsFrom: async () => new Map(), factsFrom: async () => [] }
        const known = { ...nothing, book: addressBook.createMaps().known } as never
        for await (const { head } of source.ranges(null, known, signal)) return head.atMs
        throw new Error('no range')
      })
      return (await Promise.all(heads)).map((atMs) => Math.round((nowMs - atMs) / 3_600_000))
    }
    expect(await begunBefore({})).to.deep.equal([3, 3, 3])
    expect(await begunBefore({ SIMULATOR_LOOK_BACK_HOURS: '2' })).to.deep.equal([2, 2, 2])
  })

  it('are no made-up ones beside a real one', () => {
    expect(kindsOf({ CHAIN_A_RPC_URL: 'https://node.example' })).to.deep.equal([['chain-a', 'chain']])
    expect(kindsOf({ CHAIN_B_RPC_URL: 'https://node.example' })).to.deep.equal([['chain-b', 'chain']])
  })

  it('are two real ones where both have a node', () => {
    expect(kindsOf({ CHAIN_A_RPC_URL: 'https://node.example', HELIUS_API_KEY: 'a-helius-key' })).to.deep.equal([
      ['chain-a', 'chain'],
      ['chain-b', 'chain'],
    ])
  })

  it('ask a node of chain B who holds a mint, and a provider of rug checks where there is one', () => {
    const answersOf = (rest: NodeJS.ProcessEnv) => {
      const config = readConfig({ CHAIN_B_RPC_URL: 'https://node.example', ...rest })
      return configuredChains(config, surroundings).flatMap(({ lookups }) =>
        lookups.map(({ answerType }) => answerType),
      )
    }
    expect(answersOf({})).to.deep.equal(['HoldersAnswered', 'PriceAnswered'])
    expect(answersOf({ CHAIN_B_RUGCHECK_URL: 'https://rug.example' })).to.deep.equal([
      'HoldersAnswered',
      'SafetyAnswered',
      'PriceAnswered',
    ])
  })
})
