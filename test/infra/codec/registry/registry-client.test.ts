import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { connectRegistry, type RegistryOptions } from '../../../../infra/codec/registry/registry-client.ts'
import { isOperationError } from '../../../../infra/errors.ts'

describe('requests to a schema registry', () => {
  let server: Server
  let requests: IncomingMessage[]
  let answers: { status: number; body: object }[]

  beforeEach(async () => {
    requests = []
    server = createServer((request, response) => {
      requests.push(request)
      const { status, body } = answers.shift() ?? { status: 200, body: { id: 7, version: 1 } }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(() => {
    server.close()
    server.closeAllConnections()
  })

  const port = () => (server.address() as AddressInfo).port
  const idOf = async (options: Partial<RegistryOptions> = {}) => {
    const ask = await connectRegistry({ url: `http://127.0.0.1:${port()}/registry/`, ...options })
    return ask((client) => client.getId('s', { schema: '"string"' }, false))
  }
  const failureOf = async (question: Promise<unknown>) => question.then(() => null).catch((error: unknown) => error)

  it('are retried while it is busy', async () => {
    answers = [
      { status: 503, body: {} },
      { status: 429, body: {} },
    ]
    expect(await idOf()).to.equal(7)
    expect(requests).to.have.length(3)
    expect(requests[0]?.url).to.match(/^\/registry\/subjects\/s\?/)
  })

  it('fail with its reason, without a retry, if it refuses', async () => {
    answers = [{ status: 401, body: { error_code: 401, message: 'who are you' } }]
    const failure = await failureOf(idOf())
    expect(isOperationError(failure, 'registry_refused') && failure.context).to.deep.equal({
      status: 401,
      reason: 'who are you; Error code: 401',
    })
    expect(requests).to.have.length(1)
  })

  it('carry the user and the password of the URL, and no error contains them', async () => {
    answers = [{ status: 403, body: { error_code: 403, message: 'not you' } }]
    const url = `http://reader:p%40ss@127.0.0.1:${port()}`
    const failure = await failureOf(idOf({ url }))
    expect(requests[0]?.headers.authorization).to.equal(`Basic ${Buffer.from('reader:p@ss').toString('base64')}`)
    expect((failure as Error).message).to.include(`127.0.0.1:${port()}`)
    expect(JSON.stringify([(failure as Error).message, failure])).to.not.match(/p@ss|p%40ss/)
  })

  it('fail when no registry has answered for long enough', async () => {
    answers = Array.from({ length: 10 }, () => ({ status: 500, body: {} }))
    const failure = await failureOf(idOf({ patienceMs: 250 }))
    expect(isOperationError(failure, 'registry_unreachable')).to.equal(true)
    expect((failure as Error).message).to.include('answers 500')
    expect(requests).to.have.length(2)
  })

  it('end when the program ends', async () => {
    answers = Array.from({ length: 10 }, () => ({ status: 500, body: {} }))
    const abort = new AbortController()
    const asked = failureOf(idOf({ signal: abort.signal }))
    await once(server, 'request')
    abort.abort()
    expect((await asked) as Error).to.have.property('name', 'AbortError')
  })
})
