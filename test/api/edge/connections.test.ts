import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { type ConnectionLimits, createBoundedServer } from '../../../api/edge/connections.ts'

describe('connections', () => {
  let server: Server
  let seen: string[]
  const sockets: Socket[] = []

  const start = async (limits: Partial<ConnectionLimits> = {}, listener: RequestListener = answerAtOnce) => {
    seen = []
    server = createBoundedServer(
      (request, response) => {
        seen.push(`${request.method} ${request.url}`)
        listener(request, response)
      },
      { isBehindProxy: false, ...limits },
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  const answerAtOnce: RequestListener = (_, response) => void response.end('yes')
  const never: RequestListener = () => {}

  const open = async (): Promise<Readonly<{ socket: Socket; text: () => string; closed: Promise<unknown> }>> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {})
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    const closed = once(socket, 'close')
    await once(socket, 'connect')
    return { socket, text: () => text, closed }
  }
  const say = async (bytes: string) => {
    const connection = await open()
    connection.socket.write(bytes)
    return connection
  }
  const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await sleep(5)
  }

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
    server.closeAllConnections()
    server.close()
  })

  it('that end close every response on them, also those whose turn never comes', async () => {
    let open = 0
    await start({}, (_, response) => {
      open += 1
      response.once('close', () => {
        open -= 1
      })
    })
    const { socket } = await say(get.repeat(4))
    await until(() => seen.length === 4)
    expect(open).to.equal(4)
    socket.destroy()
    await until(() => open === 0)
  })

  it('of one address are bounded, and its next finds room when one is closed', async () => {
    await start({ connectionsOfOneMax: 3 })
    const held = [await say(get), await say(get), await say(get)]
    await until(() => seen.length === 3)
    await (await say(get)).closed
    expect(seen).to.have.length(3)
    held[0]?.socket.destroy()
    await held[0]?.closed
    await sleep(20)
    await say(get)
    await until(() => seen.length === 4)
  })

  it('behind a proxy are the proxy, and are bounded in all alone', async () => {
    await start({ connectionsOfOneMax: 1, connectionsMax: 2, isBehindProxy: true })
    await say(get)
    await say(get)
    await until(() => seen.length === 2)
    await (await say(get)).closed
    expect(seen).to.have.length(2)
  })

  it('that are idle make room once there are too many, the one that has been so longest', async () => {
    await start({ connectionsMax: 2 })
    const idle = [await say(get), await say(get)]
    await until(() => idle.every(({ text }) => text().endsWith('yes')))
    // The first connection is now the most recently used connection.
    idle[0]?.socket.write(get)
    await until(() => seen.length === 3)
    await sleep(20)
    await say(get)
    await until(() => seen.length === 4)
    await idle[1]?.closed
    expect(idle[0]?.socket.destroyed).to.equal(false)
  })

  it('that have sent half a head make room, and those that wait for their answer do not', async () => {
    await start({ connectionsMax: 3 }, never)
    const [served, half, other] = [await say(get), await say('GET / HT'), await open()]
    await until(() => seen.length === 1)
    await say(get)
    await half.closed
    await say(get)
    await other.closed
    await until(() => seen.length === 3)
    expect(served.socket.destroyed).to.equal(false)
    // At this point all three connections wait for answers.
    await (await open()).closed
    expect(seen).to.have.length(3)
  })

  it('of eight addresses that send half heads close none of a newcomer elsewhere', async () => {
    await start({ connectionsMax: 40, connectionsOfOneMax: 10 })
    const from = async (address: string, bytes: string) => {
      const { port } = server.address() as AddressInfo
      const socket = connect({ port, host: '127.0.0.1', localAddress: address })
      sockets.push(socket)
      socket.on('error', () => {})
      await once(socket, 'connect')
      socket.write(bytes)
      return socket
    }
    for (let round = 0; round < 10; round++)
      for (let host = 1; host <= 8; host++) await from(`127.0.7.${host}`, 'GET / HT')
    const newcomers: Socket[] = []
    for (let host = 1; host <= 5; host++) {
      newcomers.push(await from(`127.0.8.${host}`, 'GET /'))
      for (let more = 1; more <= 8; more++) await from(`127.0.7.${more}`, 'GET / HT')
    }
    for (const socket of newcomers) socket.write(' HTTP/1.1\r\nHost: a\r\n\r\n')
    await until(() => seen.length === 5)
  })

  it('that send requests ahead of their answers are closed at the ninth, and nothing behind it is handled', async () => {
    await start({}, never)
    await (await say(get.repeat(500))).closed
    expect(seen).to.have.length(8)
    const after = await say(get)
    await until(() => seen.length === 9)
    after.socket.destroy()
  })

  it('that send one request after the other are kept', async () => {
    await start()
    const { socket, text } = await open()
    for (let turn = 1; turn <= 20; turn++) {
      socket.write(get)
      await until(() => text().split('yes').length === turn + 1)
    }
    expect(socket.destroyed).to.equal(false)
  })

  for (const [what, head] of [
    ['long', 'Content-Length: 100000'],
    ['of unknown length', 'Transfer-Encoding: chunked'],
  ] as const)
    it(`that send a body ${what} are closed with the answer`, async () => {
      await start()
      const { text, closed } = await say(`POST / HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n`)
      await closed
      expect(text()).to.contain('Connection: close').and.to.contain('yes')
    })

  it('that send a body of 64 KiB are kept, and are closed with the answer to a longer one', async () => {
    for (const [bytes, says] of [
      [65_536, 'keep-alive'],
      [65_537, 'close'],
    ] as const) {
      await start()
      const { text } = await say(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n`)
      await until(() => text().includes('yes'))
      expect(text()).to.contain(`Connection: ${says}`)
      server.closeAllConnections()
      server.close()
    }
  })

  it('of one address are counted one by one as they close', async () => {
    await start({ connectionsOfOneMax: 2 })
    const held = [await say(get), await say(get)]
    await until(() => seen.length === 2)
    for (const { socket, closed } of held) {
      socket.destroy()
      await closed
      const count = () => new Promise<number>((resolve) => server.getConnections((_, open) => resolve(open)))
      while ((await count()) > 1) await sleep(5)
      const seenBefore = seen.length
      await say(get)
      await until(() => seen.length > seenBefore)
    }
    await (await say(get)).closed
    expect(seen).to.have.length(4)
  })

  it('that ask before they send a body are answered without it', async () => {
    await start()
    const head = 'Content-Length: 100000\r\nExpect: 100-continue'
    const { text, closed } = await say(`POST / HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n`)
    await closed
    expect(text()).to.not.contain('100 Continue')
    expect(text()).to.contain('yes')
  })

  it('with a head of more than 32 KB are refused unheard', async () => {
    await start()
    const { text, closed } = await say(`GET / HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(33_000)}\r\n\r\n`)
    await closed
    expect(text()).to.contain('431')
    expect(seen).to.deep.equal([])
  })

  it('have so long to say what they want, to be silent and to be read', async () => {
    await start()
    const { headersTimeout, requestTimeout, timeout, maxHeadersCount, keepAliveTimeout } = server
    expect({
      headersTimeout,
      requestTimeout,
      timeout,
      maxHeadersCount,
      keepAliveTimeout,
    }).to.deep.equal({
      ...{ headersTimeout: 10_000, requestTimeout: 15_000, timeout: 120_000 },
      ...{ maxHeadersCount: 200, keepAliveTimeout: 5_000 },
    })
  })
})
