import { createHash, createPublicKey, verify } from 'node:crypto'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { expect } from 'chai'
import { transformSync } from 'esbuild'
import { component, verifySignature } from 'http-message-sig'
import { keyDirectoryPath, keyDirectoryType, type PublishedKey } from '../../../schemas/signed-answers.ts'
import { fixedCut } from '../../support/fixed-queries.ts'
import { sign, toHeader } from '../../support/payments/paid-service.ts'
import { isSignedBy } from '../../support/signing-keys.ts'
import { documentsOf } from '../documents/documents-of.ts'
import { burstsPath, edgeOfTests, rugCheckPath } from '../edge.ts'
import { openClient } from '../mcp/edge.ts'

type Edge = ReturnType<typeof edgeOfTests>

const asking = { 'Accept-Signature': 'sig1=()' }
const signatureHeaders = ['signature', 'signature-input', 'content-digest'] as const

const paymentFor = async (edge: Edge, path: string) => {
  const { headers } = await edge.get(path)
  const payload = await sign(decodePaymentRequiredHeader(headers.get('payment-required') as string))
  return { payload, header: { 'PAYMENT-SIGNATURE': toHeader(payload).header } }
}
const keysOf = async (edge: Edge): Promise<readonly PublishedKey[]> =>
  ((await (await edge.get(keyDirectoryPath)).json()) as { keys: readonly PublishedKey[] }).keys
const received = async (response: Response) => ({
  ...{ url: response.url, status: response.status, headers: response.headers },
  body: Buffer.from(await response.arrayBuffer()),
})
const isUnsigned = ({ headers }: Response) => signatureHeaders.every((name) => !headers.has(name))

describe('a signed answer', () => {
  const edge = edgeOfTests()
  afterEach(() => void edge.double.settleFaults.splice(0))
  const buy = async (path: string, headers: Record<string, string> = asking) =>
    edge.get(path, { headers: { ...(await paymentFor(edge, path)).header, ...headers } })

  it('is sold on paid routes of each kind, with its cut, and verified by another library', async () => {
    const keys = await keysOf(edge)
    for (const path of [rugCheckPath, '/v1/snapshot', '/v1/stream/pass', '/rh/bursts/live?minutes=5&tier=all']) {
      const response = await buy(path)
      expect(response.status, path).to.equal(200)
      const answer = await received(response)
      const { generatedAt } = JSON.parse(answer.body.toString()) as { generatedAt?: number }
      expect(Number(response.headers.get('answer-cut')), path).to.equal(generatedAt ?? edge.nowMs)
      expect(response.headers.get('signature-input')).to.contain('"answer-cut"')
      expect(await isSignedBy(keys, answer), path).to.equal(true)
      expect(await isSignedBy(keys, { ...answer, url: `${response.url}&x` }), path).to.equal(false)
    }
  })

  it('covers the cut: another cut is noticed', async () => {
    const answer = await received(await buy(burstsPath))
    const headers = new Headers(answer.headers)
    headers.set('answer-cut', String(fixedCut.atMs + 1))
    expect(await isSignedBy(await keysOf(edge), { ...answer, headers })).to.equal(false)
  })

  it('has the bytes of an answer without a signature, also for a client that takes gzip', async () => {
    const plain = await buy(burstsPath, {})
    expect(isUnsigned(plain)).to.equal(true)
    const bytes = await plain.text()
    for (const encoding of ['gzip, br', 'identity']) {
      const response = await buy(burstsPath, { ...asking, 'Accept-Encoding': encoding })
      expect(response.headers.get('content-encoding')).to.equal(null)
      const answer = await received(response)
      expect(answer.body.toString()).to.equal(bytes)
      expect(await isSignedBy(await keysOf(edge), answer), encoding).to.equal(true)
    }
  })

  it('is given again with the same body and cut and a valid signature, and over HTTP after a purchase over MCP', async () => {
    const { payload, header } = await paymentFor(edge, burstsPath)
    const client = await openClient(edge)
    const result = await client.callTool({
      ...{ name: 'rh_bursts_live', arguments: {} },
      _meta: { 'x402/payment': payload },
    })
    await client.close()
    expect(JSON.stringify(result)).to.not.match(/signature-input/i)
    const later = { ...fixedCut, atMs: fixedCut.atMs + 20_000 }
    edge.state.cut = later
    edge.nowMs = later.atMs
    for (const nonce of ['a', 'b']) {
      const again = await edge.get(burstsPath, { headers: { ...header, 'Accept-Signature': `s=();nonce="${nonce}"` } })
      expect(again.headers.get('answer-cut')).to.equal(String(fixedCut.atMs))
      const answer = await received(again)
      expect(answer.body.toString()).to.equal(result.content[0]?.text)
      expect(await isSignedBy(await keysOf(edge), answer)).to.equal(true)
    }
  })

  it('is no quote, no answer to HEAD and no refusal before the payment, which anyone can cause', async () => {
    for (const [path, method, status, headers] of [
      [burstsPath, 'GET', 402, {}],
      [burstsPath, 'HEAD', 402, (await paymentFor(edge, burstsPath)).header],
      [burstsPath, 'GET', 402, { 'PAYMENT-SIGNATURE': 'bm8=' }],
      [`${burstsPath}?minutes=x`, 'GET', 400, (await paymentFor(edge, burstsPath)).header],
      [rugCheckPath.replace(/0x..../, '0x0000'), 'GET', 404, {}],
      ['/v1/health', 'GET', 200, {}],
    ] as const) {
      const response = await edge.get(path, { method, headers: { ...headers, ...asking } })
      expect([response.status, isUnsigned(response)], path).to.deep.equal([status, true])
    }
  })

  for (const [what, path, status, prepare] of [
    ['a settlement that was refused', burstsPath, 402, () => edge.double.settleFaults.push('refuse')],
    [
      'a settlement whose outcome is not known',
      burstsPath,
      503,
      () => edge.double.settleFaults.push('unexpected', 'unexpected', 'unexpected', 'unexpected'),
    ],
    [
      'a subject that was not tracked',
      `/v1/rh/token/0x${'00'.repeat(20)}/rugcheck?asOf=${fixedCut.atMs - 3_600_000}`,
      404,
      () => {},
    ],
  ] as const)
    it(`is also the response after a verified payment about ${what}, without a cut`, async () => {
      const { header } = await paymentFor(edge, path)
      prepare()
      const response = await edge.get(path, { headers: { ...header, ...asking } })
      const answer = await received(response)
      expect(response.status, answer.body.toString()).to.equal(status)
      expect(response.headers.has('answer-cut')).to.equal(false)
      expect(await isSignedBy(await keysOf(edge), answer), answer.body.toString()).to.equal(true)
    })

  it('is unsigned, and sold all the same, if the service cannot sign what the client asks for', async () => {
    for (const asked of [
      'sig1=("date")',
      'sig1=();alg="hmac-sha256"',
      'not a dictionary (',
      `a=(), b=();nonce="${'n'.repeat(1_100)}"`,
    ]) {
      const response = await buy(burstsPath, { 'Accept-Signature': asked })
      expect([response.status, isUnsigned(response)], asked.slice(0, 30)).to.deep.equal([200, true])
      expect(response.headers.get('answer-cut')).to.equal(String(fixedCut.atMs))
    }
  })

  it('covers the receipt if the client asks for it', async () => {
    const answer = await received(await buy(burstsPath, { 'Accept-Signature': 'sig1=("payment-response")' }))
    const keys = await keysOf(edge)
    expect(await isSignedBy(keys, answer)).to.equal(true)
    const headers = new Headers(answer.headers)
    headers.set('payment-response', 'e30=')
    expect(await isSignedBy(keys, { ...answer, headers })).to.equal(false)
  })

  it('is verified by the code of the documentation, in ten lines', async () => {
    const { documents } = await documentsOf()
    const page = await documents.pages.find(({ patterns: [path] }) => path === '/docs/signed-answers.md')?.body()
    const [, code = ''] = /```ts\n([\s\S]*?)\n```/.exec(page ?? '') ?? []
    expect(code.split('\n')).to.have.length.at.most(10)
    const { code: script } = transformSync(code.replace(/^import .*$/gm, ''), { loader: 'ts' })
    const known = { component, verifySignature, createHash, createPublicKey, verify }
    const printed: unknown[] = []
    const run = (response: Response) =>
      new Function('response', 'console', ...Object.keys(known), `return (async () => {${script}})()`)(
        response,
        { log: (value: unknown) => printed.push(value) },
        ...Object.values(known),
      ) as Promise<void>
    const response = await buy(`${burstsPath}?minutes=7`)
    const copyOf = (change: Readonly<{ status?: number; body?: string }>) => {
      const copy = new Response(change.body ?? response.clone().body, { headers: response.headers, ...change })
      Object.defineProperty(copy, 'url', { value: response.url })
      return copy
    }
    await run(copyOf({}))
    await run(copyOf({ body: '{}' }))
    expect(printed).to.deep.equal([true, false])
    const failed = await run(copyOf({ status: 201 })).catch((error: Readonly<{ code: string }>) => error.code)
    expect(failed).to.equal('VerificationFailed')
  })
})

describe('the directory of keys', () => {
  const edge = edgeOfTests()

  it('is a JSON Web Key Set that caches may keep for a minute', async () => {
    const response = await edge.get(keyDirectoryPath)
    expect(response.headers.get('content-type')).to.equal(keyDirectoryType)
    expect(response.headers.get('cache-control')).to.equal('public, max-age=60')
    const { keys } = (await response.json()) as { keys: readonly PublishedKey[] }
    expect(keys).to.have.lengthOf(1)
    expect(keys[0]).to.have.all.keys('kty', 'crv', 'x', 'kid', 'use', 'nbf')
    const headers = { 'If-None-Match': response.headers.get('etag') ?? '' }
    const again = await edge.get(keyDirectoryPath, { headers })
    expect([again.status, await again.text()]).to.deep.equal([304, ''])
  })
})

describe('a service without keys', () => {
  const edge = edgeOfTests({ signingKeys: null })

  it('sells answers without a signature, and has no directory of keys', async () => {
    const { header } = await paymentFor(edge, burstsPath)
    const response = await edge.get(burstsPath, { headers: { ...header, ...asking } })
    expect([response.status, isUnsigned(response)]).to.deep.equal([200, true])
    expect((await edge.get(keyDirectoryPath)).status).to.equal(404)
  })
})
