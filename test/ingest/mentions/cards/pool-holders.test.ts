import { expect } from 'chai'
import { namedAddresses } from '../../../../ingest/mentions/addresses/named-addresses.ts'
import { withoutPoolHolders } from '../../../../ingest/mentions/cards/pool-holders.ts'
import { evmOf, mintOf } from '../build-post.ts'
import { postOf } from '../chat-samples.ts'

const [token, pool, holder] = [mintOf(1), mintOf(2), mintOf(3)]
const account = (address: string) => `https://solscan.io/account/${address}`
const ofToken = ['chart', `https://gmgn.ai/sol/token/${token}`] as const
const left = (text: string, linked: readonly (readonly [string, string])[]) => {
  const post = postOf({ text, linked })
  return withoutPoolHolders(post, namedAddresses({ ...post, buttons: [] }))
}

describe('a pool among the holders of a card', () => {
  const holders = [
    ['14.6', account(pool)],
    ['3.4', account(holder)],
  ] as const
  /** Links to the pool that are not the links of its holders. */
  const table: readonly Readonly<[string, string]>[] = [
    ['a link of a chart', `https://dexscreener.com/solana/${pool}`],
    ['a link of a chart that lost its capitals', `https://dexscreener.com/solana/${pool.toLowerCase()}`],
    ['a link of a market', `https://axiom.trade/meme/${pool}`],
    ['a link where others have the token', `https://www.defined.fi/sol/${pool}?utm_source=phanes`],
    ['the start of a bot', `https://t.me/RickBurpBot?start=${pool}`],
  ]
  for (const [name, url] of table)
    it(`is left out if ${name} names it`, () => {
      const links = [...holders, ['DEF', url], ofToken, ofToken] as const
      for (const [separator, text] of [
        ['|', `TH: 14.6|3.4|2.9\nDEF chart chart ${token}`],
        ['⋅', `TH: 14.6⋅3.4⋅2.9\nDEF chart chart ${token}`],
        [' | ', `TH: 14.6 | 3.4 | 2.9\nDEF chart chart ${token}`],
      ] as const)
        expect(left(text, links).replaceAll(' ', ''), separator).to.equal(
          text.replace(`14.6${separator}`, '').replaceAll(' ', ''),
        )
    })

  it('is left out wherever it stands in the row', () => {
    const links = [
      ['3.4', account(holder)],
      ['14.6', account(pool)],
      ['DEF', `https://dexscreener.com/solana/${pool}`],
      ofToken,
      ofToken,
    ] as const
    expect(left(`TH: 3.4|14.6|2.9\nDEF chart chart ${token}`, links)).to.equal(`TH: 3.4|2.9\nDEF chart chart ${token}`)
  })

  it('is left out if everybody knows it', () => {
    for (const address of [
      '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1',
      'HLnpSz9h2S4hiLQ43rnSD9XkcUThA7B8hQMKmDaiTLcC',
    ])
      expect(left('TH: 14.6|3.4', [['14.6', account(address)]])).to.equal('TH: 3.4')
    expect(
      left('TH: 14.6%|3.4', [['14.6%', 'https://etherscan.io/address/0x000000000004444c5dc75cb358380d2e3de08a90']]),
    ).to.equal('TH: 3.4')
  })

  it('is left out on other networks', () => {
    const text = `TH: 14.6|3.4\nDS ${evmOf(1)}`
    const links = [
      ['14.6', `https://etherscan.io/address/${evmOf(2)}`],
      ['DS', `https://dexscreener.com/base/${evmOf(2)}`],
    ] as const
    expect(left(`${text} ${evmOf(1)}`, links)).to.equal(`TH: 3.4\nDS ${evmOf(1)} ${evmOf(1)}`)
  })
})

describe('a holder of a card stays', () => {
  const unchanged: readonly Readonly<[string, string, readonly (readonly [string, string])[]]>[] = [
    ['that no other link names', `TH: 14.6|3.4 chart ${token}`, [['14.6', account(holder)], ofToken]],
    [
      'that is the developer',
      'TH: 14.6|3.4 DEV',
      [
        ['14.6', account(holder)],
        ['DEV', `https://t.me/phanes_bot?start=pfdev_${holder}`],
      ],
    ],
    [
      'that another link shows as a wallet',
      'TH: 14.6|3.4 D',
      [
        ['14.6', account(holder)],
        ['D', `https://www.defined.fi/wallet/${holder}`],
      ],
    ],
    ['that is the token itself', `TH: 14.6|3.4 chart ${token}`, [['14.6', account(token)], ofToken]],
    [
      'whose link leads to the token',
      `TH: 14.6|3.4 DS chart ${token}`,
      [['14.6', `https://t.me/phanes_bot?start=th_${pool}`], ['DS', `https://dexscreener.com/solana/${pool}`], ofToken],
    ],
    [
      'whose word is no share',
      `Pool EXP DS chart ${token}`,
      [['EXP', account(pool)], ['DS', `https://dexscreener.com/solana/${pool}`], ofToken],
    ],
    ['without a link', 'TH: 14.6|3.4', []],
  ]
  for (const [name, text, linked] of unchanged)
    it(name, () => {
      expect(left(text, linked)).to.equal(text)
    })
})
