import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect } from 'chai'
import { z } from 'zod'
import { serverJsonOf } from '../../../api/documents/server-json.ts'
import { edgeOfTests } from '../edge.ts'

/** The rules of the registry for an entry with remotes only, from its schema of 2025-12-11. */
const entry = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z
    .string()
    .max(255)
    .regex(/^\d+\.\d+\.\d+$/),
  websiteUrl: z.url(),
  remotes: z
    .array(z.strictObject({ type: z.enum(['streamable-http', 'sse']), url: z.url().regex(/^https?:\/\/[^\s]+$/) }))
    .min(1),
})

describe('server.json', () => {
  const edge = edgeOfTests()

  it('is an entry of the registry of MCP servers, under the domain of the service', async () => {
    const answer = await edge.get('/server.json')
    expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8')
    const body = entry.parse(await answer.json())
    expect(body.name).to.equal('example.data/launch-data-service')
    expect(body.remotes).to.deep.equal([{ type: 'streamable-http', url: 'https://data.example/mcp' }])
  })

  it('has the name and the version that the MCP server tells its clients', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StreamableHTTPClientTransport(new URL((await edge.get('/mcp')).url)))
    const { name = '', version } = client.getServerVersion() ?? {}
    await client.close()
    expect(name).to.equal('launch-data-service')
    expect(serverJsonOf('https://data.example'))
      .to.include({ version })
      .and.to.have.property('name')
      .that.contains(name)
  })
})
