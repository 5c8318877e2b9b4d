import { expect } from 'chai'
import { plainTextOf } from '../../../ingest/mentions/addresses/plain-text.ts'
import { parserVersion } from '../../../ingest/mentions/parser-version.ts'
import { factsOf, readPost } from '../../../ingest/mentions/read-post.ts'
import { namedTokens, type TokenChain } from '../../../ingest/mentions/tokens.ts'
import type { Mentioned } from '../../../schemas/calls/facts.ts'
import type { ChatFact, PostContent } from '../../../schemas/chats/facts.ts'
import { buildContent, linksTo, mintOf, postedAtMs } from './build-post.ts'
import { postOf, sampleCard } from './chat-samples.ts'

const chain: TokenChain = {
  name: 'chain-b',
  forms: ['base58'],
  networks: ['solana'],
  known: { tokenOfMarket: () => null, isToken: (address) => address === mintOf(1) },
}
const place = { blockNumber: 5, blockHash: '0x', blockAtMs: postedAtMs + 700 } as const
const seen = (content: Partial<PostContent>): ChatFact => ({
  type: 'PostSeen',
  data: { ...buildContent(content), ...place },
})
const edited = (content: Partial<PostContent>, editedAtMs: number): ChatFact => ({
  type: 'PostEdited',
  data: { ...buildContent(content), editedAtMs, ...place },
})
const answeredAtMs = postedAtMs + 900

function factsIn(fact: ChatFact) {
  const read = readPost(fact)
  return read === null ? [] : factsOf(read, { tokens: namedTokens(read.named, [chain]) }, answeredAtMs)
}
const typesIn = (fact: ChatFact) => factsIn(fact).map(({ fact: { type } }) => type)
const cardText = `${sampleCard('phanes-2026-a').text}\n`
const mint = 'DtFkKBC3Cmi9j3SxBGRUd8gvBLw7nAasrvUJFB69yubM'

describe('a post', () => {
  it('that names a token is a mention of it', () => {
    const origin = { chat: '-7', postedAtMs: postedAtMs - 60_000 }
    expect(factsIn(seen({ text: mintOf(1), origin, isLate: true }))).to.deep.equal([
      {
        named: {
          chain: 'chain-b',
          token: mintOf(1),
          isTracked: true,
          source: 'text',
          addresses: [mintOf(1)],
          count: 1,
        },
        fact: {
          type: 'Mentioned',
          data: {
            chat: '-100',
            post: 1,
            chatName: 'calls',
            poster: '7',
            kind: 'call',
            postedAtMs,
            isEditedIn: false,
            seenAtMs: postedAtMs + 700,
            isLate: true,
            tokenCount: 1,
            source: 'text',
            originChat: '-7',
            originAtMs: postedAtMs - 60_000,
            isTracked: true,
            hasCode: null,
            isFollowed: true,
            parserVersion,
            answeredAtMs,
          },
        },
      },
    ])
  })

  it('that is read from a history is late, by when it came into the log', () => {
    const lateOf = (fact: ChatFact, knownMs: number) => {
      const read = readPost(fact)
      if (read === null) return null
      const [first] = factsOf(
        { ...read, knownAtMs: postedAtMs + knownMs },
        { tokens: namedTokens(read.named, [chain]) },
        answeredAtMs,
      )
      if (first === undefined) return null
      const { isLate, seenAtMs } = first.fact.data as Mentioned
      return [isLate, seenAtMs - postedAtMs]
    }
    const post = seen({ text: mintOf(1) })
    expect(lateOf(post, 0)).to.deep.equal([false, 700])
    expect(lateOf(post, 120_000)).to.deep.equal([false, 120_000])
    expect(lateOf(post, 120_001)).to.deep.equal([true, 120_001])
    expect(lateOf(post, 20 * 3_600_000)).to.deep.equal([true, 20 * 3_600_000])
    const later = edited({ text: mintOf(1) }, postedAtMs + 3_600_000)
    expect(lateOf(later, 3_600_000 + 120_000), 'an edit is as late as it is').to.deep.equal([false, 3_720_000])
    expect(lateOf(later, 3_600_000 + 120_001)).to.deep.equal([true, 3_720_001])
  })

  it('that names none says nothing', () => {
    expect(readPost(seen({ text: 'gm' }))).to.equal(null)
  })

  it('that was deleted, or missed, says nothing', () => {
    expect(readPost({ type: 'PostsDeleted', data: { chat: '-100', posts: [1], ...place } })).to.equal(null)
    const gap = { chat: '-100', fromAtMs: 0, toAtMs: 1, reason: 'offline', ...place } as const
    expect(readPost({ type: 'ChatGapFound', data: gap })).to.equal(null)
  })

  it('that names many tokens is a mention of each, of 20 at most, and tells how many it names', () => {
    const text = Array.from({ length: 25 }, (_, name) => mintOf(50 + name)).join('\n')
    const facts = factsIn(seen({ text }))
    expect(facts).to.have.length(20)
    for (const { fact } of facts) expect(fact.data).to.include({ tokenCount: 25 })
  })

  it('that was edited names tokens from the edit on', () => {
    const [found] = factsIn(edited({ text: mintOf(1) }, postedAtMs + 5_000))
    expect(found?.fact.data).to.include({ postedAtMs: postedAtMs + 5_000, isEditedIn: true })
  })

  it('of a brag or a recall says so', () => {
    expect(factsIn(seen({ text: `$CAT is up 51% ${mintOf(1)}` }))[0]?.fact.data).to.include({ kind: 'brag' })
    const links = linksTo(`https://pump.fun/${mintOf(1)}`)
    const again = seen({ text: sampleCard('soul-whale-again').text, entities: links })
    expect(factsIn(again)[0]?.fact.data).to.include({ kind: 'recall' })
  })
})

describe('a scanner’s card', () => {
  it('that answers a post is a card of its token, and no mention', () => {
    const facts = factsIn(seen({ text: cardText, posterName: 'phanes_bot', replyTo: 77 }))
    expect(facts.map(({ fact: { type } }) => type)).to.deep.equal(['CardRead'])
    expect(facts[0]?.named.token).to.equal(mint)
    expect(facts[0]?.fact.data).to.deep.equal({
      chat: '-100',
      post: 1,
      editedAtMs: null,
      postedAtMs,
      seenAtMs: postedAtMs + 700,
      bot: 'phanes',
      replyTo: 77,
      top10Pct: 0.2559,
      topHolder1Pct: null,
      snipers: null,
      sniperPct: 0.136,
      bundlers: null,
      bundlePct: 0.5106,
      devLeftPct: null,
      fresh1d: null,
      fresh7d: null,
      holders: 236,
      sniperPctAtLaunch: null,
      bundlePctAtLaunch: null,
      mcapUsd: 106_910,
      parserVersion,
      answeredAtMs,
    })
  })

  it('in its own channel is a card and the channel’s call', () => {
    const { text, links = [], mint: token = '' } = sampleCard('soul-early-2026-09-08-a')
    const facts = factsIn(seen({ text, entities: linksTo(...links) }))
    expect(facts.map(({ fact: { type } }) => type)).to.deep.equal(['Mentioned', 'CardRead'])
    for (const { named } of facts) expect(named.token).to.equal(token)
    expect(facts[0]?.fact.data).to.include({ kind: 'call', tokenCount: 1 })
  })

  it('that a person forwards is a card and a mention', () => {
    const origin = { chat: '-7', postedAtMs }
    expect(typesIn(seen({ text: cardText, origin }))).to.deep.equal(['Mentioned', 'CardRead'])
  })

  it('is of its most frequent address alone', () => {
    const text = `${cardText}${mintOf(61)}\n${mintOf(62)}\n${mint}`
    const facts = factsIn(seen({ text }))
    expect(facts.map(({ named }) => named.token)).to.deep.equal([mint, mint])
  })

  it('that somebody else posts is no card of the bot: it does not take the place of what the bot says', () => {
    const botOf = (posterName: string | null) => {
      const facts = factsIn(seen({ text: cardText, posterName }))
      return facts.flatMap(({ fact }) => (fact.type === 'CardRead' ? [fact.data.bot] : []))
    }
    expect(botOf('Phanes_Bot')).to.deep.equal(['phanes'])
    expect(botOf('PhanesGoldBot')).to.deep.equal(['phanes'])
    expect(botOf(null)).to.deep.equal(['quoted phanes'])
    expect(botOf('rickburpbot')).to.deep.equal(['quoted phanes'])
  })

  it('lists no pool as its largest holder', () => {
    for (const [id, topHolder1Pct] of [
      ['phanes-2025-01-pool-first', 0.034],
      ['rick-2025-pool-first', 0.102],
    ] as const) {
      const read = readPost(seen({ ...postOf(sampleCard(id)), posterName: 'phanes_bot' }))
      expect(read?.card, id).to.include({ topHolder1Pct })
    }
  })

  it('is none while the bot looks for the answer; the edit is', () => {
    const bot = { posterName: 'TrenchScannerBot', replyTo: 77 }
    expect(typesIn(seen({ ...bot, text: `Loading bundle data ${mintOf(1)}` }))).to.deep.equal([])
    const text = `${mintOf(1)}\n${sampleCard('trench-007dog').text}`
    const [card, ...others] = factsIn(edited({ ...bot, text }, postedAtMs + 20_000))
    expect(others).to.deep.equal([])
    expect(card?.fact.data).to.include({ bot: 'trenchscanner', postedAtMs, editedAtMs: postedAtMs + 20_000 })
  })

  it('of no known layout is one of the bot’s token, and does not hide the tokens of a person’s list', () => {
    const rows = `Market Cap: $30K\nLiq: $5K\nVol: $9K\n${mintOf(61)}\n${mintOf(62)}`
    expect(typesIn(seen({ text: rows, posterName: 'newbot', replyTo: 77 }))).to.deep.equal(['CardRead'])
    expect(typesIn(seen({ text: rows }))).to.deep.equal(['Mentioned', 'Mentioned', 'CardRead'])
  })
})

describe('other answers of a bot', () => {
  it('are no mentions, and its own posts are', () => {
    expect(typesIn(seen({ text: mintOf(1), posterName: 'newbot', replyTo: 77 }))).to.deep.equal([])
    expect(typesIn(seen({ text: mintOf(1), posterName: 'newbot' }))).to.deep.equal(['Mentioned'])
  })

  it('are answers of bots only: a person who answers mentions a token', () => {
    expect(typesIn(seen({ text: mintOf(1), replyTo: 77 }))).to.deep.equal(['Mentioned'])
  })
})

describe('a hostile post', () => {
  /** Counts how often the entities of a post are read. */
  const countingReads = (count: number) => {
    let reads = 0
    const whole = { offset: 0, length: 4_096 }
    const entities = Array.from({ length: count }, (_, name) => ({
      ...whole,
      get url() {
        reads++
        return name % 2 === 0 ? null : `https://t.me/x?start=${mintOf(name)}`
      },
    }))
    return { entities, reads: () => reads }
  }

  it('costs time linear in its entities', () => {
    const readsOf = (count: number) => {
      const { entities, reads } = countingReads(count)
      const read = readPost(seen({ text: 'a'.repeat(4_096), entities }))
      expect(read?.named.length).to.equal(Math.min(256, count / 2))
      return reads()
    }
    const few = readsOf(100)
    expect(readsOf(10_000)).to.be.at.most(few * 100)
  })

  it('gets at most 21 facts, whatever stands in it', () => {
    const text = Array.from({ length: 400 }, (_, name) => mintOf(300 + name)).join(' ')
    expect(factsIn(seen({ text: `MC: 1\nLiq: 2\nVol: 3\n${text}` }))).to.have.length(21)
  })

  it('is read to its bound though it tries the patience of each expression', () => {
    const runs = [
      '0x',
      '0xa',
      ' a',
      'MC',
      'Top ',
      'MC (',
      '1,111',
      '9.',
      'up ',
      'another ',
      'a.',
      '((',
      '[',
      '*',
      'http://',
      '\u0301',
    ]
    for (const run of runs) {
      const read = readPost(seen({ text: `${mintOf(1)}\n${run.repeat(20_000)}` }))
      expect(
        read?.named.map(({ address }) => address),
        run,
      ).to.deep.equal([mintOf(1)])
    }
  })

  it('cannot grow its text beyond the bound by characters that stand for many', () => {
    expect(plainTextOf('\ufdfa'.repeat(100_000)).text.length).to.be.at.most(16_384 * 18)
  })
})
