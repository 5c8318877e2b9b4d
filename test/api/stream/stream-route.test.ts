import { expect } from 'chai'
import { EventSource } from 'eventsource'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { address, buildBurst, buildTick, noonMs } from '../../projections/derived-log.ts'
import { bodyOf, edgeOfTests } from '../edge.ts'

const passPath = '/v1/stream/pass'
const streamPath = '/v1/sol/bursts/stream'

type PassBody = Readonly<{
  token: string
  types: readonly string[]
  stream: string
  minutes: number
  issuedAt: number
  expiresAt: number
  maxConcurrentPerPass: number
}>

describe('the stream over HTTP', () => {
  const edge = edgeOfTests()
  const open: AbortController[] = []
  afterEach(() => {
    for (const each of open.splice(0)) each.abort()
  })

  const buyPass = async (query = '') => (await (await edge.buy(passPath + query)).json()) as PassBody
  const connect = (token: string, init: RequestInit = {}) => {
    const aborting = new AbortController()
    open.push(aborting)
    return edge.get(`${streamPath}?token=${token}`, { ...init, signal: aborting.signal })
  }
  /** Publishes a tick of chain A with one burst. */
  const publish = (atMs: number) =>
    edge.stream.onTick({
      stage: chainAStage,
      partition: 0,
      tick: buildTick({ knownAtMs: atMs + 100 }),
      records: [{ key: address(1), record: buildBurst({ atMs }), offset: 7, publishedAtMs: atMs + 107 }],
      nextOffset: 9,
    })

  /** Reads until the text includes `wanted`. */
  const readUntil = async (response: Response, wanted: string) => {
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? expect.fail('no body')) {
      text += decoder.decode(chunk as Uint8Array)
      if (text.includes(wanted)) return text
    }
    return text
  }

  it('is opened with a pass, and pushes what is published', async () => {
    const pass = await buyPass()
    expect(pass).to.deep.include({ minutes: 60, maxConcurrentPerPass: 2, stream: `https://data.example${streamPath}` })
    expect(pass.types).to.deep.equal(['burst', 'call', 'restated', 'withdrawn'])
    expect(pass.expiresAt - pass.issuedAt).to.equal(3_600_000)
    const response = await connect(pass.token)
    expect(response.status).to.equal(200)
    expect(Object.fromEntries(response.headers)).to.deep.include({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'referrer-policy': 'no-referrer',
    })
    publish(noonMs)
    const text = await readUntil(response, 'event: burst')
    expect(text).to.match(/^retry: 3000\nevent: hello\nid: /)
    expect(text).to.include(`"at":${noonMs},"knownAt":${noonMs + 100},"row":{"id":`)
  })

  it('is open to browsers of other origins', async () => {
    const { token } = await buyPass()
    const response = await connect(token, { headers: { Origin: 'https://app.example' } })
    expect(response.headers.get('access-control-allow-origin')).to.equal('*')
  })

  it('is served under the path without /v1 too', async () => {
    const { token } = await buyPass()
    const aborting = new AbortController()
    open.push(aborting)
    const response = await edge.get(`/sol/bursts/stream?token=${token}`, { signal: aborting.signal })
    expect(response.status).to.equal(200)
  })

  it('takes the official EventSource as it is', async () => {
    const { token } = await buyPass()
    const { url } = await edge.get(`${streamPath}?token=wrong`)
    const source = new EventSource(url.replace('wrong', token))
    const burst = new Promise<MessageEvent>((resolve) => source.addEventListener('burst', resolve))
    await new Promise((resolve) => source.addEventListener('hello', resolve))
    publish(noonMs)
    const { data, lastEventId } = await burst
    source.close()
    expect(JSON.parse(data as string)).to.deep.include({ type: 'burst', chain: 'chainA', at: noonMs })
    expect(lastEventId).to.match(/^8\.\.\.$/)
  })

  it('takes two connections of a pass; a dropped one leaves its place at once', async () => {
    const { token } = await buyPass()
    const [first] = [await connect(token), await connect(token)]
    const third = await connect(token)
    expect([third.status, (await bodyOf(third)).code]).to.deep.equal([429, 'too_many_connections'])
    expect(third.headers.get('retry-after')).to.equal('5')
    await first?.body?.cancel()
    open.shift()?.abort()
    let next = await connect(token)
    while (next.status === 429) next = await connect(token)
    expect(next.status).to.equal(200)
  })

  it('refuses a token that is absent, wrong, given twice or expired', async () => {
    const { token, expiresAt } = await buyPass('?minutes=1')
    for (const query of ['', '?token=', '?token=x', `?token=${token}x`, `?token=${token}&token=${token}`]) {
      const response = await edge.get(streamPath + query)
      expect([response.status, (await bodyOf(response)).code], query).to.deep.equal([401, 'bad_token'])
    }
    edge.nowMs = expiresAt - 1
    const last = await connect(token)
    expect(last.status).to.equal(200)
    // The pass ends 1 ms later, by the real clock.
    expect(await readUntil(last, 'event: bye')).to.include('"reason":"expired"')
    edge.nowMs = expiresAt
    expect((await connect(token)).status).to.equal(401)
  })

  it('answers HEAD without taking a place, and never mints a pass for it', async () => {
    const { token } = await buyPass()
    for (let count = 0; count < 3; count++) {
      const head = await edge.get(`${streamPath}?token=${token}`, { method: 'HEAD' })
      expect([head.status, head.headers.get('content-type')]).to.deep.equal([200, 'text/event-stream; charset=utf-8'])
    }
    expect((await edge.get(streamPath, { method: 'HEAD' })).status).to.equal(401)
    expect((await edge.get(passPath, { method: 'HEAD' })).status).to.equal(402)
  })

  it('asks for the whole price of a pass however short, and checks its minutes first', async () => {
    expect((await bodyOf(edge.get(`${passPath}?minutes=61`))).code).to.equal('bad_param')
    expect((await bodyOf(edge.get(`${passPath}?minutes=0`))).code).to.equal('bad_param')
    const { minutes, issuedAt, expiresAt } = await buyPass('?minutes=1.9')
    expect([minutes, expiresAt - issuedAt]).to.deep.equal([1, 60_000])
  })

  it('sells a pass where there is no data yet', async () => {
    edge.state.cut = null
    expect((await buyPass()).token).to.be.a('string')
  })

  it('ends for all where nothing can be read, and is there again with the next tick', async () => {
    const { token } = await buyPass()
    const response = await connect(token)
    edge.stream.fail()
    expect(await readUntil(response, 'event: bye')).to.include('"reason":"failed"')
    expect((await bodyOf(connect(token))).code).to.equal('warming_up')
    expect((await bodyOf(edge.get(passPath))).code, 'nobody buys what cannot be read').to.equal('warming_up')
    publish(noonMs)
    expect((await connect(token)).status).to.equal(200)
    expect((await buyPass()).token).to.be.a('string')
  })

  it('ends for all with a reason', async () => {
    const { token } = await buyPass()
    const response = await connect(token)
    edge.stream.route.end('shutdown')
    expect(await readUntil(response, 'event: bye')).to.include('"reason":"shutdown"')
    expect((await bodyOf(connect(token))).code).to.equal('warming_up')
    expect((await bodyOf(edge.get(passPath))).code, 'nobody buys what cannot be read').to.equal('warming_up')
  })
})
