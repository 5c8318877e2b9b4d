import { expect } from 'chai'
import { createNodeSocket, type NodeSocket } from '../../../../ingest/chain-a/node/socket/node-socket.ts'
import { type RpcAnswer, type RpcDouble, startRpcDouble } from '../rpc-double.ts'

describe('a request over the socket of a node', () => {
  let double: RpcDouble
  let socket: NodeSocket
  let answer: (method: string) => RpcAnswer | 'hang'

  beforeEach(async () => {
    answer = (method) => ({ result: method })
    double = await startRpcDouble((method) => answer(method))
    socket = createNodeSocket({ url: double.sockets.url, idleMs: 20, restMs: 1 })
  })
  afterEach(() => double.stop())

  const ask = (method: string, timeoutMs = 60_000) => socket.request({ method, params: [] }, timeoutMs)
  const nameOf = (asked: Promise<unknown>) => asked.then(String, (error: Error) => error.name)
  const allClosed = async () => {
    while (double.sockets.open() > 0) await new Promise(setImmediate)
  }

  it('fails when its time is over, and ends a connection on which nothing came, for all who wait there', async () => {
    answer = () => 'hang'
    const other = nameOf(ask('other'))
    expect(await nameOf(ask('slow', 10))).to.equal('TimeoutError')
    expect(await other).to.equal('WebSocketRequestError')
    await allClosed()
    answer = (method) => ({ result: method })
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(await ask('next')).to.equal('next')
    expect(double.sockets.opened()).to.equal(2)
  })

  it('fails alone when its time is over, if something else came meanwhile', async () => {
    answer = (method) => (method === 'slow' ? 'hang' : { result: method })
    const slow = nameOf(ask('slow', 300))
    expect(await ask('quick')).to.equal('quick')
    expect(await slow).to.equal('TimeoutError')
    expect(await ask('next')).to.equal('next')
    expect(double.sockets.opened()).to.equal(1)
  })

  it('fails with all others when the connection ends', async () => {
    answer = () => 'hang'
    const asked = ['a', 'b'].map((method) => nameOf(ask(method)))
    while (double.sockets.calls.length < 2) await new Promise(setImmediate)
    double.sockets.drop()
    expect(await Promise.all(asked)).to.deep.equal(Array(2).fill('WebSocketRequestError'))
  })
})
