import { expect } from 'chai'
import { createHeads, type HeadsOptions } from '../../../../ingest/chain-a/node/socket/heads.ts'
import { createNodeSocket } from '../../../../ingest/chain-a/node/socket/node-socket.ts'
import { delay } from '../../../../ingest/delay.ts'
import { type RpcDouble, startRpcDouble } from '../rpc-double.ts'

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

describe('the heads that a node announces', () => {
  let double: RpcDouble
  let stop: AbortController
  let heard: number
  let lines: Readonly<{ level: string; reason?: string; waitMs?: number; host?: string }>[]

  beforeEach(async () => {
    double = await startRpcDouble(() => 'hang')
    stop = new AbortController()
    heard = 0
    lines = []
  })
  afterEach(async () => {
    stop.abort()
    await double.stop()
  })

  const logger = Object.fromEntries(
    ['warn', 'info', 'debug'].map((level) => [level, (what: object) => lines.push({ level, ...what })]),
  ) as unknown as HeadsOptions['logger']
  const lost = () => lines.filter(({ reason }) => reason !== undefined)
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await pause(5)
  }

  function listen(options: Partial<HeadsOptions> & { urls?: readonly string[]; quietMsMax?: number } = {}) {
    const urls = options.urls ?? [double.sockets.url]
    const sockets = urls.map((url) =>
      createNodeSocket({ url, quietMsMax: options.quietMsMax ?? 15_000, idleMs: 20, restMs: 1 }),
    )
    const heads = createHeads({ sockets, logger, delay: () => pause(5), ...options })
    const listening = heads.listen(() => heard++, stop.signal)
    return { heads, listening }
  }

  it('are heard, each', async () => {
    const { listening } = listen()
    await double.sockets.subscribed()
    for (const number of [1, 2, 3]) double.sockets.announce(number)
    await until(() => heard === 3)
    stop.abort()
    await listening
    await until(() => double.sockets.open() === 0)
  })

  it('are heard again after the socket was lost, and while it cannot be opened the waits grow', async () => {
    const waits: number[] = []
    const delay = async (ms: number) => {
      waits.push(ms)
      if (waits.length === 4) double.sockets.refuse(false)
      // This pause is real time, because the client also waits longer before each new attempt to open the
      // socket.
      await pause(20)
    }
    listen({ delay })
    await double.sockets.subscribed()
    double.sockets.refuse(true)
    double.sockets.drop()
    await until(() => waits.length >= 4)
    await double.sockets.subscribed()
    double.sockets.announce(4)
    await until(() => heard === 1)
    expect(waits.slice(0, 4)).to.deep.equal([500, 1000, 2000, 4000])
    expect(
      lost().map(({ level }) => level),
      'the first is a warning, the others would fill the log',
    ).to.deep.equal(['warn', 'debug', 'debug', 'debug'])
    expect(lost()[0]?.host).to.equal(new URL(double.url).host)
  })

  it('leave no timer behind, however often the socket is lost', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const socket: HeadsOptions['sockets'][number] = {
      host: 'a',
      request: () => Promise.reject(new RangeError('no request is expected')),
      subscribe: async () => 'lost',
      trySubscription: () => Promise.reject(new RangeError('no trial is expected')),
    }
    const before = timers()
    let turns = 0
    const heads = createHeads({ sockets: [socket], delay: async () => void (++turns === 50 && stop.abort()) })
    await heads.listen(() => heard++, stop.signal)
    expect(turns).to.equal(50)
    expect(timers()).to.be.below(before + 25)
  })

  it('end when the node floods: the connection is closed, and opened again later', async () => {
    listen({ delay: (_, signal) => delay(10_000, signal) })
    await double.sockets.subscribed()
    for (let number = 0; number < 5_000; number++) double.sockets.announce(number)
    await until(() => lost().length === 1)
    expect(lost()[0]?.reason).to.equal('the node sent more than 200 messages a second')
    expect(heard).to.equal(200)
  })

  it('are no heads when they are garbage, and a flood of that ends the connection as well', async () => {
    listen({ delay: (_, signal) => delay(10_000, signal) })
    await double.sockets.subscribed()
    for (let count = 0; count < 150; count++) double.sockets.say('nonsense')
    double.sockets.announce(1)
    await until(() => heard === 1)
    for (let count = 0; count < 60; count++) double.sockets.say('{"id":77}')
    await until(() => lost().length === 1)
    expect(heard).to.equal(1)
  })

  it('are waited for on a new connection when blocks come and none is announced', async () => {
    const { heads } = listen({ silenceMsMax: 40 })
    await double.sockets.subscribed()
    const finding = setInterval(() => heads.found(), 10)
    await until(() => lost().length === 1)
    clearInterval(finding)
    expect(lost()[0]?.reason).to.equal('the node announced none of the new blocks')
    await until(() => double.sockets.opened() === 2)
  })

  it('may not come for long, as long as there are no blocks', async () => {
    // A second is long enough for the answer to a ping, however busy the machine is. Two pings are answered.
    listen({ silenceMsMax: 20, quietMsMax: 1_000 })
    await double.sockets.subscribed()
    await pause(2_500)
    expect([lost(), double.sockets.opened()]).to.deep.equal([[], 1])
  })

  it('are waited for on a new connection when the node does not even answer a ping', async () => {
    listen({ quietMsMax: 20 })
    await double.sockets.subscribed()
    double.sockets.deafen()
    await until(() => lost().length > 0)
    expect(lost()[0]?.reason).to.equal('the node did not answer a ping')
  })

  it('come from the next socket when one is lost', async () => {
    const other = await startRpcDouble(() => 'hang')
    double.sockets.refuse(true)
    listen({ urls: [double.sockets.url, other.sockets.url] })
    await other.sockets.subscribed()
    other.sockets.announce(1)
    await until(() => heard === 1)
    stop.abort()
    await other.stop()
  })

  it('are never heard where nobody answers, and nobody waits for that', async () => {
    const { listening } = listen({ urls: ['ws://127.0.0.1:9/a-secret-key'] })
    await until(() => lost().length > 1)
    stop.abort()
    await listening
    expect(JSON.stringify(lost())).to.contain('ECONNREFUSED').and.not.contain('a-secret-key')
  })
})
