import { expect } from 'chai'
import { OperationError } from '../../../infra/errors.ts'
import type { LogReader } from '../../../infra/log/log.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { address, buildBurst, createDerivedLog, type DerivedLog, noonMs } from '../../projections/derived-log.ts'
import { createDeferred, type Deferred } from '../../support/log/kafka-double/deferred.ts'
import { bodyOf, edgeOfTests } from '../edge.ts'

const streamPath = '/v1/sol/bursts/stream'
const topic = chainAStage.derivedTopic.name

describe('a stream that continues after a cursor, over HTTP', () => {
  let derived: DerivedLog
  let failure: OperationError | null
  /** The number of reads before the log fails. */
  let readsLeft: number
  /** If it is set, reads of the log wait for it. */
  let gate: Deferred | null
  const read: LogReader['read'] = async (...asked) => {
    await gate?.promise
    if (failure || readsLeft-- <= 0) throw failure ?? new OperationError('log_corrupt', 'damaged')
    return derived.log.read(...asked)
  }
  const edge = edgeOfTests({
    streamLog: {
      log: {
        read,
        bounds: (...asked) => derived.log.bounds(...asked),
        waitForAppend: (...asked) => derived.log.waitForAppend(...asked),
      },
      get registry() {
        return derived.registry
      },
    },
  })
  const open: AbortController[] = []
  before(async () => {
    derived = await createDerivedLog()
    for (const at of [0, 1, 2]) await derived.tick(noonMs + at, [[address(1), buildBurst({ atMs: noonMs + at })]])
    for (let partition = 0; partition < 4; partition++)
      edge.stream.onStart({ stage: chainAStage, partition }, (await derived.log.bounds(topic, partition)).endOffset)
  })
  beforeEach(() => {
    failure = null
    readsLeft = Number.POSITIVE_INFINITY
    gate = null
    edge.nowMs = noonMs + 1_000
  })
  afterEach(async () => {
    for (const each of open.splice(0)) each.abort()
    await until(() => edge.stream.catchingUpCount() === 0)
  })
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  const buyToken = async () => ((await (await edge.buy('/v1/stream/pass')).json()) as { token: string }).token
  const connect = (token: string, query: string, init: RequestInit = {}) => {
    const aborting = new AbortController()
    open.push(aborting)
    return edge.get(`${streamPath}?token=${token}${query}`, { ...init, signal: aborting.signal })
  }
  const textUntilCaughtUp = async (response: Response) => {
    expect(response.status).to.equal(200)
    let text = ''
    for await (const chunk of response.body ?? expect.fail('no body')) {
      text += Buffer.from(chunk as Uint8Array).toString()
      if (/event: caught-up\nid: .*\ndata: .*\n\n/.test(text)) return text
    }
    return expect.fail(`it ended: ${text}`)
  }
  const countIn = (text: string) => JSON.parse(/event: caught-up\nid: .*\ndata: (.*)/.exec(text)?.[1] ?? '').count

  it('takes `from`, or Last-Event-ID with resume=1', async () => {
    const token = await buyToken()
    const all = await textUntilCaughtUp(await connect(token, '&from=0.0.0.0'))
    expect(all).to.match(/^retry: 3000\nevent: hello\nid: 0\.0\.0\.0\n/)
    expect(countIn(all)).to.equal(3)
    const [, first = ''] = /event: burst\nid: (.*)/.exec(all) ?? []
    open.shift()?.abort()
    const header = { headers: { 'Last-Event-ID': first } }
    expect(countIn(await textUntilCaughtUp(await connect(await buyToken(), '&resume=1', header)))).to.equal(2)
  })

  it('ignores the Last-Event-ID that browsers send, without resume=1', async () => {
    const response = await connect(await buyToken(), '', { headers: { 'Last-Event-ID': 'nonsense' } })
    const { value } = (await response.body?.getReader().read()) ?? {}
    expect(Buffer.from(value as Uint8Array).toString()).to.match(/^retry: 3000\nevent: hello\n/)
  })

  it('refuses a cursor before it opens, with the oldest cursor; also for HEAD', async () => {
    const token = await buyToken()
    const refusals = [
      ['&from=', 400, 'cursor_unknown'],
      ['&from=1.2.3', 400, 'cursor_unknown'],
      ['&from=zzzz.0.0.0', 400, 'cursor_unknown'],
      ['&from=...', 400, 'cursor_unknown'],
    ] as const
    for (const [query, status, code] of refusals) {
      const response = await connect(token, query)
      const { oldest, ...body } = (await response.json()) as Readonly<Record<string, string>>
      expect([response.status, body.code, oldest], query).to.deep.equal([status, code, '0.0.0.0'])
      expect(body.docs).to.equal(`https://data.example/docs/errors/${code}`)
      expect((await connect(token, query, { method: 'HEAD' })).status).to.equal(status)
    }
    edge.nowMs = noonMs + 24 * 3_600_000 + 8
    const late = await buyToken()
    const old = await connect(late, '&from=0.0.0.0')
    expect(old.status).to.equal(410)
    const { code, oldest } = (await old.json()) as Readonly<Record<string, string>>
    expect(code).to.equal('cursor_too_old')
    expect(await connect(late, `&from=${oldest}`, { method: 'HEAD' })).to.have.property('status', 200)
  })

  it('refuses parameters that it does not know, and a cursor that was given twice', async () => {
    const token = await buyToken()
    for (const query of ['&from=0.0.0.0&from=0.0.0.0', '&resume=0', '&resume=', '&resume=1&resume=1']) {
      const response = await connect(token, query)
      expect([response.status, (await bodyOf(response)).code], query).to.deep.equal([400, 'bad_param'])
    }
  })

  it('does not look at the cursor of a client without a pass', async () => {
    failure = new OperationError('log_unavailable', 'nobody may read')
    expect((await bodyOf(connect('wrong', '&from=nonsense'))).code).to.equal('bad_token')
  })

  it('answers 503 while the log is away, and serves again afterwards', async () => {
    const token = await buyToken()
    failure = new OperationError('log_unavailable', 'away')
    const response = await connect(token, '&from=0.0.0.0')
    expect([response.status, response.headers.get('retry-after')]).to.deep.equal([503, '30'])
    expect((await bodyOf(response)).code).to.equal('warming_up')
    failure = null
    for (let count = 0; count < 3; count++) {
      await textUntilCaughtUp(await connect(token, '&from=0.0.0.0'))
      open.pop()?.abort()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })

  it('ends with `failed` if the log fails while events are sent again', async () => {
    const token = await buyToken()
    // The check of the cursor reads each partition one time.
    readsLeft = 4
    const text = await (await connect(token, '&from=0.0.0.0')).text()
    expect(text).to.match(/^retry: 3000\nevent: hello\n/)
    expect(text).to.include('"reason":"failed"').and.not.to.include('event: caught-up')
  })

  it('gives back the places of clients that leave while their cursors are checked', async () => {
    gate = createDeferred()
    const tokens = await Promise.all(Array.from({ length: 16 }, buyToken))
    const answers = [...tokens, ...tokens].map((token) => connect(token, '&from=0.0.0.0').catch(() => null))
    await until(() => edge.stream.catchingUpCount() === 32)
    for (const each of open.splice(0)) each.abort()
    expect(await Promise.all(answers)).to.deep.equal(Array(32).fill(null))
    gate.resolve()
    gate = null
    await until(() => edge.stream.catchingUpCount() === 0 && edge.stream.clientCount() === 0)
    await textUntilCaughtUp(await connect(tokens[0] ?? '', '&from=0.0.0.0'))
  })

  it('takes a place for the cursor of a HEAD only while it is checked', async () => {
    const token = await buyToken()
    gate = createDeferred()
    const heads = [1, 2].map(() => connect(token, '&from=0.0.0.0', { method: 'HEAD' }))
    await until(() => edge.stream.catchingUpCount() === 2)
    expect((await connect(token, '&from=0.0.0.0')).status).to.equal(429)
    gate.resolve()
    gate = null
    expect((await Promise.all(heads)).map(({ status }) => status)).to.deep.equal([200, 200])
    expect(edge.stream.catchingUpCount()).to.equal(0)
  })

  it('lets each pass have two, and 32 clients in all, also while their cursors are checked', async () => {
    gate = createDeferred()
    const tokens = await Promise.all(Array.from({ length: 17 }, buyToken))
    const answers = tokens
      .slice(0, 16)
      .flatMap((token) => [connect(token, '&from=0.0.0.0'), connect(token, '&from=0.0.0.0')])
    await until(() => edge.stream.catchingUpCount() === 32)
    const ofPass = await connect(tokens[0] ?? '', '&from=0.0.0.0')
    expect([ofPass.status, (await bodyOf(ofPass)).error]).to.deep.equal([
      429,
      'this pass already has 2 connections that get earlier events, which is the limit. Close one of them',
    ])
    const inAll = await connect(tokens[16] ?? '', '&from=0.0.0.0')
    expect([inAll.status, inAll.headers.get('retry-after')]).to.deep.equal([429, '2'])
    // HEAD checks the cursor too, so it has the same limits.
    for (const token of [tokens[0], tokens[16]])
      expect((await connect(token ?? '', '&from=0.0.0.0', { method: 'HEAD' })).status).to.equal(429)
    gate.resolve()
    gate = null
    for (const answer of answers) expect((await answer).status).to.equal(200)
    for (const answer of answers) await textUntilCaughtUp(await answer)
    await until(() => edge.stream.catchingUpCount() === 0)
    expect((await connect(tokens[16] ?? '', '&from=0.0.0.0')).status).to.equal(200)
  })
})
