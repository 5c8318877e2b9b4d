import { once } from 'node:events'
import { expect } from 'chai'
import Koa from 'koa'
import { createReplayClock, type ReplayClock, type ReplayState } from '../../../api/replay/clock.ts'
import { replayControls } from '../../../api/replay/controls.ts'

describe('the clock of a replay', () => {
  let machineMs: number
  let clock: ReplayClock
  const never = new AbortController().signal

  beforeEach(() => {
    machineMs = 50
    clock = createReplayClock({
      ...{ fromMs: 1_000, toMs: 101_000, speed: 10, monotonicMs: () => machineMs },
      sleep: async (durationMs) => {
        machineMs += durationMs
      },
    })
  })

  // The steps of this test, in milliseconds of the machine's clock:
  // - 50 to 150: the replay runs from 1000 to 2000.
  // - 150 to 250: the replay is paused, and is then moved forward to 2500.
  // - 250 to 350: the replay runs at speed 2, up to 2700.
  it('runs at its speed, stops, is moved on, and goes on at another speed', () => {
    expect(clock.nowMs()).to.equal(1_000)
    machineMs = 150
    expect(clock.nowMs()).to.equal(2_000)
    clock.pause()
    machineMs = 250
    expect(clock.state()).to.deep.equal({ atMs: 2_000, fromMs: 1_000, toMs: 101_000, speed: 10, isRunning: false })
    clock.step(500)
    expect(clock.nowMs()).to.equal(2_500)
    clock.run(2)
    machineMs = 350
    expect(clock.state()).to.include({ atMs: 2_700, speed: 2, isRunning: true })
    clock.run()
    expect(clock.state()).to.include({ atMs: 2_700, speed: 2 })
  })

  it('ends with its range, however it is moved', () => {
    machineMs += 1_000_000
    expect(clock.state()).to.include({ atMs: 101_000, isRunning: false })
    clock.step(5_000)
    expect(clock.nowMs()).to.equal(101_000)
  })

  it('tells whole milliseconds', () => {
    machineMs += 0.17
    expect(clock.nowMs()).to.equal(1_001)
  })

  it('is waited for: at its speed, and where it is stopped until it is moved', async () => {
    await clock.reaches(3_000, never)
    expect(clock.nowMs()).to.be.within(3_000, 3_010)
    clock.pause()
    let looks = 0
    const stopped = createReplayClock({
      ...{ fromMs: 0, toMs: 10_000, speed: 1, monotonicMs: () => 0 },
      sleep: async () => {
        looks += 1
        if (looks === 3) stopped.step(10_000)
      },
    })
    stopped.pause()
    await stopped.reaches(9_000, never)
    expect(looks).to.equal(3)
  })

  it('is waited for no longer than somebody waits', async () => {
    const gone = new AbortController()
    gone.abort()
    await clock.reaches(100_000, gone.signal)
    expect(clock.nowMs()).to.equal(1_000)
  })

  describe('over HTTP', () => {
    const ask = async (method: string, path: string) => {
      const app = new Koa().use(replayControls(clock)).use((ctx) => {
        ctx.body = { served: ctx.path }
      })
      const server = app.listen(0, '127.0.0.1')
      await once(server, 'listening')
      try {
        const { port } = server.address() as { port: number }
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method })
        const body = (await answer.json()) as ReplayState & { error?: string; served?: string }
        return { status: answer.status, at: answer.headers.get('x-replay-at'), ...body }
      } finally {
        server.close()
      }
    }

    it('tells where it stands, and each answer says so', async () => {
      expect(await ask('GET', '/replay')).to.include({ status: 200, atMs: 1_000, speed: 10, isRunning: true })
      expect(await ask('GET', '/v1/x')).to.deep.include({ served: '/v1/x', at: '1970-01-01T00:00:01.000Z' })
      expect(await ask('GET', '/replays')).to.include({ served: '/replays' })
    })

    it('is stopped, moved on and started', async () => {
      expect(await ask('POST', '/replay/pause')).to.include({ isRunning: false })
      expect(await ask('POST', '/replay/step?ms=500')).to.include({ atMs: 1_500, isRunning: false })
      expect(await ask('POST', '/replay/run?speed=60')).to.include({ speed: 60, isRunning: true })
      expect(await ask('POST', '/replay/run')).to.include({ speed: 60 })
      expect(await ask('POST', '/replay/run?speed=100000')).to.include({ status: 200, speed: 100_000 })
    })

    for (const [method, path, status, error] of [
      ['POST', '/replay', 405, 'this path does not accept POST. Use GET'],
      ['GET', '/replay/pause', 405, 'this path does not accept GET. Use POST'],
      ['POST', '/replay/back', 400, 'there is no such command. The commands are /replay/pause'],
      ['POST', '/replay/step', 400, 'ms must be'],
      ['POST', '/replay/step?ms=0', 400, 'ms must be'],
      ['POST', '/replay/step?ms=-5', 400, 'ms must be'],
      ['POST', '/replay/step?ms=1.5', 400, 'ms must be'],
      ['POST', '/replay/step?ms=99999999999', 400, 'ms must be'],
      ['POST', '/replay/run?speed=0', 400, 'speed must be'],
      ['POST', '/replay/run?speed=max', 400, 'speed must be'],
      ['POST', '/replay/run?speed=100001', 400, 'speed must be'],
    ] as const)
      it(`refuses ${method} ${path}`, async () => {
        const answer = await ask(method, path)
        expect(answer.status).to.equal(status)
        expect(answer.error).to.match(new RegExp(`^${error}`))
        expect(clock.state()).to.deep.equal({ atMs: 1_000, fromMs: 1_000, toMs: 101_000, speed: 10, isRunning: true })
      })
  })
})
