import { expect } from 'chai'
import { namedAddresses } from '../../../ingest/mentions/addresses/named-addresses.ts'
import { areAllKnown, type KnownTokens, namedTokens, type TokenChain } from '../../../ingest/mentions/tokens.ts'
import { buildContent, evmOf, linksTo, mintOf } from './build-post.ts'
import { sampleCard } from './chat-samples.ts'

const knownOf = (markets: Readonly<Record<string, string>> = {}): KnownTokens => ({
  tokenOfMarket: (address) => markets[address] ?? null,
  isToken: (address) => Object.values(markets).includes(address),
})
const chainA = (markets?: Readonly<Record<string, string>>): TokenChain => ({
  name: 'chain-a',
  forms: ['evm', 'pool-id'],
  networks: ['robinhood'],
  known: knownOf(markets),
})
const chainB = (markets?: Readonly<Record<string, string>>): TokenChain => ({
  name: 'chain-b',
  forms: ['base58'],
  networks: ['solana'],
  known: knownOf(markets),
})
const poolId = `0x${'9f'.repeat(32)}`

type Post = Readonly<{ text?: string; links?: readonly string[] }>
const namedIn = ({ text = '', links = [] }: Post) => namedAddresses(buildContent({ text, entities: linksTo(...links) }))
const tokensOf = (post: Post, chains: readonly TokenChain[]) =>
  namedTokens(namedIn(post), chains).map(({ chain, token, isTracked }) => [chain, token, isTracked])
const dex = (network: string, address: string) => `https://dexscreener.com/${network}/${address}`

describe('the tokens that a post names', () => {
  it('are of chain A in hex and of chain B in base58, tracked or not', () => {
    const chains = [chainA({ [poolId]: evmOf(1) }), chainB({ [mintOf(9)]: mintOf(2) })]
    expect(tokensOf({ text: `${evmOf(1)} ${mintOf(1)} ${evmOf(2)} ${mintOf(2)}` }, chains)).to.deep.equal([
      ['chain-a', evmOf(1), true],
      ['chain-b', mintOf(2), true],
      ['chain-b', mintOf(1), false],
      ['chain-a', evmOf(2), false],
    ])
  })

  it('are those of the pools and curves that it names', () => {
    const chains = [chainA({ [poolId]: evmOf(1), [evmOf(8)]: evmOf(2) }), chainB({ [mintOf(9)]: mintOf(2) })]
    const post = { text: poolId, links: [dex('robinhood', evmOf(8)), `https://axiom.trade/meme/${mintOf(9)}`] }
    expect(tokensOf(post, chains)).to.deep.equal([
      ['chain-a', evmOf(2), true],
      ['chain-b', mintOf(2), true],
      ['chain-a', evmOf(1), true],
    ])
  })

  it('are none of a pool that nobody knows', () => {
    const post = { text: poolId, links: [`https://axiom.trade/meme/${mintOf(9)}`] }
    expect(tokensOf(post, [chainA(), chainB()])).to.deep.equal([])
  })

  it('are counted together with their markets, the most frequent first', () => {
    const chains = [chainB({ [mintOf(9)]: mintOf(2) })]
    const named = namedIn({
      text: `${mintOf(1)} ${mintOf(2)}`,
      links: [dex('solana', mintOf(9)), dex('solana', mintOf(9))],
    })
    const [first, second] = namedTokens(named, chains)
    expect(first).to.deep.include({ token: mintOf(2), count: 3, addresses: [mintOf(9), mintOf(2)], source: 'entity' })
    expect(second).to.deep.include({ token: mintOf(1), count: 1, source: 'text' })
  })

  it('are a link’s own address where the link may name a token and nothing surer is there', () => {
    expect(tokensOf({ links: [dex('solana', mintOf(1))] }, [chainB()])).to.deep.equal([['chain-b', mintOf(1), false]])
  })

  it('are not the pair of a link beside the token itself', () => {
    const post = { text: mintOf(1), links: [dex('solana', mintOf(9)), dex('solana', mintOf(9))] }
    expect(tokensOf(post, [chainB()])).to.deep.equal([['chain-b', mintOf(1), false]])
  })

  it('of another form do not rule out the address of a link', () => {
    const post = { text: mintOf(1), links: [dex('robinhood', evmOf(9))] }
    expect(tokensOf(post, [chainA(), chainB()])).to.deep.equal([
      ['chain-a', evmOf(9), false],
      ['chain-b', mintOf(1), false],
    ])
  })

  it('are none of a network that is not ours', () => {
    expect(tokensOf({ links: [dex('ethereum', evmOf(1))] }, [chainA()])).to.deep.equal([])
    expect(tokensOf({ links: [dex('hyperevm', evmOf(1))] }, [chainA()])).to.deep.equal([])
  })

  it('are ours where one of several links says so', () => {
    const post = { links: [dex('ethereum', evmOf(1)), dex('robinhood', evmOf(1))] }
    expect(tokensOf(post, [chainA()])).to.deep.equal([['chain-a', evmOf(1), false]])
  })

  it('have the network that the links of the post name where their own place does not', () => {
    const post = { text: evmOf(1), links: [dex('ethereum', evmOf(9))] }
    expect(tokensOf(post, [chainA()])).to.deep.equal([])
  })

  it('are none of a chain that is not there', () => {
    expect(tokensOf({ text: `${evmOf(1)} ${mintOf(1)}` }, [chainB()])).to.deep.equal([['chain-b', mintOf(1), false]])
  })
})

describe('the token of a card', () => {
  /** Twenty links to wallets of holders. */
  const wallets = Array.from({ length: 20 }, (_, name) => `https://solscan.io/account/${mintOf(100 + name)}`)

  it('is the mint of its links, not one of the wallets', () => {
    const { links = [], mint = '', text } = sampleCard('soul-early-2026-09-08-a')
    expect(tokensOf({ text, links: [...wallets, ...links] }, [chainB()])).to.deep.equal([['chain-b', mint, false]])
  })

  it('is the most frequent where its text lists wallets too', () => {
    const holders = Array.from({ length: 20 }, (_, name) => mintOf(200 + name)).join('\n')
    const links = [1, 2, 3].map(() => `https://pump.fun/coin/${mintOf(1)}`)
    expect(tokensOf({ text: holders, links }, [chainB()])[0]).to.deep.equal(['chain-b', mintOf(1), false])
  })

  it('is not the developer of the launch', () => {
    const { links = [], text } = sampleCard('phanes-2024-12-31-a')
    const mint = 'CWZMXMqoFBQQK4APGH2ynnG4PmccKqsojQ77AURBo9hb'
    expect(tokensOf({ text, links }, [chainB()])).to.deep.equal([['chain-b', mint, false]])
  })

  it('is the address of the text, not the pair of the links, known or not', () => {
    const { links = [], text } = sampleCard('rick-evm-2025-12-a')
    const token = '0x6e04259a93457d47ce20dafa50ec7a2ea49f5eb2'
    const pair = '0xe6cb52bf0d374236a15290a05ea988d7f643bba4'
    const ethereum = { ...chainA(), networks: ['ethereum'] }
    const knowing = { ...chainA({ [pair]: token }), networks: ['ethereum'] }
    expect(tokensOf({ text, links }, [ethereum])).to.deep.equal([['chain-a', token, false]])
    expect(tokensOf({ text, links }, [knowing])).to.deep.equal([['chain-a', token, true]])
  })
})

describe('the addresses of a post', () => {
  const chains = [chainA({ [poolId]: evmOf(1) }), chainB()]
  const areKnown = (post: Post) => areAllKnown(namedIn(post), chains)

  it('are known where each is a token or a market in a book', () => {
    expect(areKnown({ text: `${evmOf(1)} ${poolId}` })).to.equal(true)
  })

  it('are not known while one is missing', () => {
    expect(areKnown({ text: `${evmOf(1)} ${evmOf(2)}` })).to.equal(false)
    expect(areKnown({ text: mintOf(1) })).to.equal(false)
  })

  it('need not be known where no chain of ours can know them', () => {
    expect(areKnown({ links: [dex('ethereum', evmOf(2))] })).to.equal(true)
  })
})
