import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { createChainA } from '../../../api/chain-a/chain.ts'
import { createChainB } from '../../../api/chain-b/chain.ts'
import type { Bought } from '../../../api/client/answer.ts'
import type { LaunchDataClient } from '../../../api/client/client.ts'
import { requestPathOf } from '../../../api/client/request-path.ts'
import type { AnswerOf, PaidPath } from '../../../api/client/routes.ts'
import { isAboutRow, type StreamEventName } from '../../../api/client/stream-events.ts'
import { routesOf } from '../../../api/products.ts'
import { calledA, calledB, chatsOver, createFixedCallsQueries } from '../../support/calls/fixed-queries.ts'
import { createFixedChainBQueries } from '../../support/chain-b/fixed-queries.ts'
import { createFixedQueries } from '../../support/fixed-queries.ts'
import { streamOf } from '../../support/stream.ts'

type Is<Left, Right> = [Left] extends [Right] ? ([Right] extends [Left] ? true : false) : false

void typesOf
/** Never runs. The compiler checks it, and fails if a line with `@ts-expect-error` has no error. */
async function typesOf(client: LaunchDataClient): Promise<void> {
  const live = await client.get('/v1/rh/bursts/live', { tier: 'all', minutes: 30, lp: 'safe', asOf: 1 })
  const tier: 'main' | 'lite' | 'refire' | 'old' | undefined = live.answer.bursts[0]?.tier
  const isTyped: Is<typeof live, Bought<AnswerOf<'/v1/rh/bursts/live'>>> = true
  await client.get('/v1/rh/bursts/live')
  await client.get('/v1/rh/pools/:id/flow', { id: '0xab' })
  await client.get('/v1/desk/trades', { since: '2026-09-21', book: 'main', limit: 3 })
  await client.get('/v1/desk/trades', { since: 1_790_000_000_000 })
  await client.asOf(1).get('/v1/sol/wallets/leaders', { limit: 3 })
  const pass = await client.get('/v1/stream/pass', { minutes: 5 })
  const token: string = pass.answer.token
  // @ts-expect-error there is no such route
  await client.get('/v1/rh/bursts/alive')
  // @ts-expect-error there is no such parameter
  await client.get('/v1/rh/bursts/live', { tire: 'all' })
  // @ts-expect-error there is no such tier
  await client.get('/v1/rh/bursts/live', { tier: 'every' })
  // @ts-expect-error minutes is a number
  await client.get('/v1/rh/bursts/live', { minutes: '30' })
  // @ts-expect-error the pool is required
  await client.get('/v1/rh/pools/:id/flow')
  // @ts-expect-error the pool is required
  await client.get('/v1/rh/pools/:id/flow', {})
  // @ts-expect-error the answer has no such field
  live.answer.burts.length
  // @ts-expect-error the instant is given one time
  await client.asOf(1).get('/v1/sol/wallets/leaders', { asOf: 2 })
  // @ts-expect-error a pass is no answer of the past
  await client.asOf(1).get('/v1/stream/pass')
  for await (const event of client.stream({ types: ['call', 'withdrawn'] })) {
    const cursor: string | null = event.cursor
    if (event.type === 'call') void event.row.chain
    else void (event.row satisfies null)
    // @ts-expect-error these events were not asked for
    if (event.type === 'burst') return
    void cursor
  }
  for await (const event of client.stream()) if (event.type === 'graduation') void event.row.mint
  // @ts-expect-error there is no such event
  client.stream({ types: ['bursts'] })
  void [tier, isTyped, token]
}

describe('the types of a client', () => {
  const chains = [
    {
      ...createChainA({
        queries: createFixedQueries().queries,
        presentation: { chainName: 'chainA', launchpadKey: 'launchCurve', ruleIdSecret: 'x', callerIdSecret: 'y' },
      }),
      called: calledA,
    },
    {
      ...createChainB({
        queries: createFixedChainBQueries().queries,
        presentation: { chainName: 'chainB', ruleIdSecret: 'x', callerIdSecret: 'y' },
      }),
      called: calledB,
    },
    chatsOver(createFixedCallsQueries()),
  ]
  const stream = streamOf(chains)
  after(() => stream.route.end('shutdown'))

  it('have every paid route of the service', () => {
    const paths: Readonly<Record<PaidPath, true>> = {
      ...{ '/v1/rh/bursts/live': true, '/v1/rh/bursts/history': true, '/v1/rh/pools/new': true },
      ...{ '/v1/rh/pools/:id/flow': true, '/v1/rh/token/:addr/rugcheck': true, '/v1/rh/crews': true },
      ...{ '/v1/rh/token/:addr/verdict': true, '/v1/rh/token/:addr/precall': true },
      ...{ '/v1/sol/bursts/live': true, '/v1/sol/bursts/history': true, '/v1/sol/grads/live': true },
      ...{ '/v1/sol/grads/history': true, '/v1/sol/wallets/leaders': true, '/v1/scanner/:mint': true },
      ...{ '/v1/sol/wallets/:addr/copy-stats': true, '/v1/sol/token/:mint/verdict': true },
      ...{ '/v1/sol/calls/live': true, '/v1/sol/calls/outcomes': true, '/v1/sol/callers/leaderboard': true },
      ...{ '/v1/desk/trades': true, '/v1/snapshot': true, '/v1/stream/pass': true },
    }
    const patterns = routesOf(chains, [stream.passRoute]).map(({ pattern }) => pattern)
    expect(Object.keys(paths)).to.have.members(patterns)
  })

  it('have every event of the stream, and know which events are about rows', () => {
    const names: Readonly<Record<StreamEventName, boolean>> = {
      ...{ burst: true, graduation: true, call: true, restated: true, withdrawn: true },
      ...{ hello: false, heartbeat: false, watermark: false, 'caught-up': false, bye: false },
    }
    expect(Object.keys(names)).to.include.members(Object.keys(stream.route.events))
    for (const [name, isRow] of Object.entries(names)) expect(isAboutRow(name), name).to.equal(isRow)
  })

  it('are all that the client takes from the service', () => {
    const imports = readFileSync('api/client/routes.ts', 'utf8').match(/^import .*/gm) ?? []
    expect(imports.length).to.be.above(5)
    expect(imports.filter((line) => !line.startsWith('import type'))).to.deep.equal([])
  })
})

describe('the path of a request', () => {
  for (const [pattern, params, path] of [
    ['/v1/crews', undefined, '/v1/crews'],
    ['/v1/crews', { limit: undefined }, '/v1/crews'],
    ['/v1/crews', { limit: 0, chain: 'a b&c' }, '/v1/crews?limit=0&chain=a+b%26c'],
    ['/v1/token/:addr/verdict', { addr: '../../x?y', asOf: 1 }, '/v1/token/..%2F..%2Fx%3Fy/verdict?asOf=1'],
  ] as const)
    it(`is ${path}`, () => {
      expect(requestPathOf(pattern, params)).to.equal(path)
    })
})
