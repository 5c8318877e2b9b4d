import { expect } from 'chai'
import { createChainB } from '../../../api/chain-b/chain.ts'
import type { ApiSource } from '../../../api/source.ts'
import type { Cuts, StageCut } from '../../../projections/cuts.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { chatsStage } from '../../../schemas/chats/stage.ts'
import { minuteMs } from '../../../schemas/units.ts'
import {
  calledB,
  callerIdSecret,
  chatsOver,
  createFixedCallsQueries,
  fixedCall,
} from '../../support/calls/fixed-queries.ts'
import {
  fixedBurst as burstOfB,
  createFixedChainBQueries,
  fixedGraduation,
} from '../../support/chain-b/fixed-queries.ts'
import { fixedBurst, fixedCut, fixedPool } from '../../support/fixed-queries.ts'
import { edgeOfTests } from '../edge.ts'

const nowMs = 1_790_000_010_000
const agoMin = (minutes: number) => nowMs - minutes * minuteMs
const operatorKey = 'the key of the operator'

describe('the front page', () => {
  const stageCut = (atMs: number): StageCut => ({ ...fixedCut, atMs, blockAtMs: atMs - 1000 })
  const stages = (atMs: number) =>
    Object.fromEntries([chainAStage, chainBStage, chatsStage].map(({ name }) => [name, stageCut(atMs)]))
  /** The time of the first record of the log. */
  const log = { beganAtMs: 0 }
  const cuts: Cuts = {
    newest: async () => ({ atMs: edge.nowMs, stages: stages(edge.nowMs) }),
    at: async (atMs) => (atMs < log.beganAtMs ? null : { atMs, stages: stages(atMs) }),
    oldestAtMs: async () => log.beganAtMs,
  }
  const chainB = createFixedChainBQueries()
  const calls = createFixedCallsQueries()
  const presentation = { chainName: 'chainB', ruleIdSecret: 'a secret', callerIdSecret }
  const otherChains: readonly ApiSource[] = [
    { ...createChainB({ queries: chainB.queries, presentation }), called: calledB },
    chatsOver(calls),
  ]
  const edge = edgeOfTests({ cuts, otherChains, operatorKey })
  const burst = (minutes: number) => ({ ...fixedBurst, atMs: agoMin(minutes) })
  const browser = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const open = (path = '/') => edge.get(path, { headers: browser })
  const textOf = async (path = '/') => (await open(path)).text()

  // The overview is kept for 20 s, so each test looks at another time.
  let turn = 0

  beforeEach(() => {
    turn += 1
    edge.nowMs = nowMs + turn * minuteMs
    log.beganAtMs = 0
    edge.state.bursts = [burst(20), burst(90)]
    edge.state.pools = [{ ...fixedPool, createdAtMs: agoMin(30) }]
    chainB.rows.bursts = [{ ...burstOfB, atMs: agoMin(40), launchAtMs: agoMin(70) }]
    chainB.rows.graduations = [{ ...fixedGraduation, mint: `G${burstOfB.mint.slice(1)}`, gradAtMs: agoMin(50) }]
    calls.rows.calls = [{ ...fixedCall, calledAtMs: agoMin(45) }]
    calls.rows.rebuiltAtMs = agoMin(60)
  })
  it('is for browsers, and programs get JSON from the same address', async () => {
    const page = await open()
    expect(page.status).to.equal(200)
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8')
    for (const accept of ['*/*', 'application/json', '']) {
      const answer = await edge.get('/', { headers: { Accept: accept } })
      expect(answer.headers.get('content-type'), accept).to.match(/^application\/json/)
      expect(answer.headers.get('vary')).to.contain('Accept')
    }
    expect(page.headers.get('vary')).to.contain('Accept')
  })

  it('is sent compressed to browsers that can read it, with the same content', async () => {
    // \`fetch\` accepts gzip by itself and decompresses the body.
    const [compressed, plain] = [
      await open(),
      await edge.get('/', { headers: { ...browser, 'Accept-Encoding': 'identity' } }),
    ]
    expect(compressed.headers.get('content-encoding')).to.equal('gzip')
    expect(plain.headers.get('content-encoding')).to.equal(null)
    expect(await compressed.text()).to.equal(await plain.text())
    expect(Number(compressed.headers.get('content-length'))).to.be.below(
      Number(plain.headers.get('content-length')) / 3,
    )
  })

  it('may load nothing and run only its own script', async () => {
    const page = await open()
    expect(page.headers.get('content-security-policy')).to.match(
      /^default-src 'none';style-src 'sha256-[\w+/=]+';script-src 'sha256-[\w+/=]+';connect-src 'self';base-uri 'none';form-action 'self';frame-ancestors 'none'$/,
    )
    const text = await page.text()
    expect(text.match(/<script/g)).to.have.length(1)
    expect(text).to.not.match(/<link|<img|\bsrc=|\son\w+=|\sstyle=|href="(?![/#])/)
  })

  it('shows nothing that the service knew in the last 15 minutes', async () => {
    edge.state.bursts = [burst(-turn + 14), burst(-turn + 16)].map((row, index) => ({
      ...row,
      buys: 111 * (index + 1),
    }))
    const text = await textOf()
    expect(text).to.contain('222 buys').and.to.not.contain('111 buys')
    expect(text).to.contain('15 minutes behind')
  })

  it('shows the newest data to the operator, who has the key and is on this machine', async () => {
    edge.state.bursts = [{ ...burst(-turn + 1), buys: 333 }]
    const live = await open(`/?operator=${encodeURIComponent(operatorKey)}`)
    expect(live.headers.get('cache-control')).to.equal('no-store')
    expect(await live.text())
      .to.contain('333 buys')
      .and.to.contain('shows the operator')
    const others = [
      open('/?operator=wrong'),
      open('/?operator='),
      open(`/?operator=${encodeURIComponent(operatorKey)}&operator=x`),
      edge.get(`/?operator=${encodeURIComponent(operatorKey)}`, {
        headers: { ...browser, 'X-Forwarded-For': '127.0.0.1' },
      }),
    ]
    for (const answer of others)
      expect(await (await answer).text())
        .to.contain('15 minutes behind')
        .and.to.not.contain('333 buys')
  })

  it('has new, filling and graduated tokens, pools, bursts, calls and callers', async () => {
    const text = await textOf()
    for (const title of ['New pools', 'New', 'Near graduation', 'Graduated']) expect(text).to.contain(`<h3>${title} `)
    expect(text)
      .to.contain(`data-copy="${burstOfB.mint}"`)
      .and.to.contain(`data-copy="G${burstOfB.mint.slice(1)}"`)
    expect(text).to.contain('45 % full').and.to.contain('after 45 min on the curve · +25 % after 1 min in the pool')
    expect(text).to.contain('chainA: 2 bursts').and.to.contain('chainB: one burst')
    expect(text).to.contain('named by @public_calls, a private chat').and.to.contain('2 chats')
    expect(text).to.match(/Of 2 scored bursts, <strong>100 % lost<\/strong>/)
    expect(text).to.contain('/v1/rh/bursts/live').and.to.contain('wrapFetchWithPayment')
  })

  it('names no private chat and no poster', async () => {
    const text = await textOf()
    for (const secret of ['-1001', '-1009', '>77<', '>88<', callerIdSecret]) expect(text).to.not.contain(secret)
  })

  it('is limited to one chain by its address, and ignores a chain that is not there', async () => {
    const text = await textOf('/?chain=chainB')
    expect(text).to.contain('chainB: one burst').and.to.not.contain('chainA: 2 bursts')
    expect(text).to.not.contain('named by @public_calls')
    const other = await textOf('/?chain=%3Cscript%3E')
    expect(other).to.contain('chainB: one burst').and.to.contain('chainA: 2 bursts').and.to.not.contain('<script>')
  })

  it('says that nothing was known yet after a first start', async () => {
    log.beganAtMs = edge.nowMs - 5 * minuteMs
    expect(await textOf()).to.contain('Nothing of chainA was known at the time of this overview')
  })

  it('writes what others named as text', async () => {
    const [chat] = fixedCall.chats
    calls.rows.calls = [{ ...fixedCall, calledAtMs: agoMin(45), chats: [{ ...chat!, chatName: '<b>"x' }] }]
    expect(await textOf())
      .to.contain('@&lt;b&gt;&quot;x')
      .and.to.not.contain('<b>"x')
  })

  it('is computed once for all viewers of 20 seconds, and again after a failure', async () => {
    const asked = () => edge.state.asked.filter((name) => name === 'burstsLive').length
    edge.state.failure = new RangeError('a read fails')
    expect((await open()).status).to.equal(500)
    edge.state.failure = null
    const before = asked()
    for (const path of ['/', '/', '/?chain=chainA', '/?chain=chainB', '/'])
      expect((await open(path)).status).to.equal(200)
    expect(asked() - before).to.equal(1)
    edge.nowMs += 20_000
    await open()
    expect(asked() - before).to.equal(2)
  })

  it('pushes the lines of its tape, the oldest first, to whoever opens /tape', async () => {
    const answer = await edge.get('/tape')
    expect(answer.headers.get('content-type')).to.contain('text/event-stream')
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.endsWith(']\n\n')) text += (await reader.read()).value ?? ''
    await reader.cancel()
    const [, data = ''] = text.split('event: lines\ndata: ')
    const lines = JSON.parse(data) as readonly Readonly<{ chain: string; html: string }>[]
    expect(lines.map(({ chain }) => chain)).to.deep.equal(['chainA', 'chainA', 'chainB', 'chainA'])
    expect(lines.at(-1)?.html).to.contain('main: +1.50 ETH in 60 s')
  })

  it('answers HEAD of /tape with the headers only', async () => {
    const answer = await edge.get('/tape', { method: 'HEAD' })
    expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([200, 'text/event-stream; charset=utf-8'])
    expect(await answer.text()).to.equal('')
  })

  it('links each token to its page, which has only its own scripts and is compressed', async () => {
    const href = (await textOf()).match(/href="(\/tokens\/[^"]+)"/)?.[1] ?? expect.fail('no link')
    const page = await open(href)
    expect(page.status).to.equal(200)
    expect(page.headers.get('content-encoding')).to.equal('gzip')
    expect(page.headers.get('cache-control')).to.equal('public, max-age=10')
    expect(page.headers.get('content-security-policy')).to.match(
      /^default-src 'none';style-src 'sha256-[\w+/=]+';script-src 'sha256-[\w+/=]+';connect-src 'self';base-uri/,
    )
    const text = await page.text()
    expect(text)
      .to.contain('15 minutes behind')
      .and.to.match(/<script type="module" blocking="render">/)
    expect(text).to.not.match(/<link|<img|\bsrc=|\son\w+=|\sstyle=/)
    const head = await edge.get(href, { method: 'HEAD', headers: browser })
    expect(head.status).to.equal(200)
  })

  it('shows the operator the newest page of a token, and a token that others do not know yet', async () => {
    edge.state.bursts = [{ ...burst(-turn + 1), token: '0xnew' }]
    expect((await open('/tokens/0xnew')).status).to.equal(404)
    const live = await open(`/tokens/0xnew?operator=${encodeURIComponent(operatorKey)}`)
    expect(live.status).to.equal(200)
    expect(live.headers.get('cache-control')).to.equal('no-store')
    expect(await live.text()).to.contain('shows the operator')
  })

  it('says of a token that it does not name where to get an answer', async () => {
    const page = await open('/tokens/0x1234')
    expect(page.status).to.equal(404)
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8')
    expect(await page.text())
      .to.contain('No page of this token')
      .and.to.contain('<a href="/docs">buy an answer</a>')
  })
})
