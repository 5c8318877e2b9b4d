import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { choosePreview } from '../../../../ingest/chats/preview/choice.ts'
import { pageOf } from './page.ts'

describe('the doctor at the public pages of chats', () => {
  let server: Server
  let requests: string[]

  beforeEach(async () => {
    requests = []
    server = createServer((request, response) => {
      requests.push(request.url ?? '')
      if (request.url === '/s/busy') return response.writeHead(429).end()
      if (request.url === '/s/closed') return response.writeHead(302, { location: '/closed' }).end()
      if (request.url === '/s/broken') return response.writeHead(500).end()
      const posts = [1, 2, 3].map((id) => ({ id, body: `post ${id}`, atSec: id }))
      return response.end(pageOf('calls', posts))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  const checkOf = async (channel: string) => {
    const { port } = server.address() as AddressInfo
    const choice = await choosePreview({ CHAT_PREVIEW_URL: `http://127.0.0.1:${port}` } as never, [channel])
    const [first, ...others] = (await choice?.check()) ?? []
    expect(first).to.include({ state: 'off', name: 'chats' })
    expect(others).to.have.lengthOf(1)
    return others[0]
  }

  for (const [channel, state, says, toDo] of [
    ['@calls', 'ok', '@calls: 3 posts on its preview page', null],
    ['@busy', 'wrong', 'asks for a pause', 'wait some minutes'],
    ['@closed', 'wrong', '@closed has no public preview', 'correct CHAT_CHANNELS'],
    ['@broken', 'wrong', 'status 500', 'CHAT_PREVIEW_URL'],
    ['-1001', 'wrong', 'only an account can follow a chat by its number', '--login'],
  ] as const)
    it(`says of ${channel}: ${says}`, async () => {
      const check = await checkOf(channel)
      expect(check).to.include({ state })
      expect(check?.says).to.contain(says)
      if (toDo === null) expect(check?.toDo).to.equal(null)
      else expect(check?.toDo).to.contain(toDo)
      expect(requests).to.deep.equal(channel.startsWith('@') ? [`/s/${channel.slice(1)}`] : [])
    })
})
