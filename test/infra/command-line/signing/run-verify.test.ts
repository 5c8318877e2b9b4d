import { once } from 'node:events'
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Context } from 'koa'
import { createAnswerSigner } from '../../../../api/signing/sign-answer.ts'
import { readKeys } from '../../../../infra/command-line/signing/read-keys.ts'
import { type RotateOptions, runRotate } from '../../../../infra/command-line/signing/run-rotate.ts'
import { runVerifyAnswer } from '../../../../infra/command-line/signing/run-verify.ts'
import { signingKeysOf } from '../../../support/signing-keys.ts'

const path = '/v1/rh/bursts/live'
const { signal } = new AbortController()

describe('launch-data verify-answer and rotate-signing-key', () => {
  let folder: string
  const keys = signingKeysOf()
  const place = (name: string) => join(folder, name)
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      (result) => String(result),
      (error: Readonly<{ code: string; message: string }>) => `${error.code}: ${error.message}`,
    )
  const printed: string[] = []
  const print = (text: string) => void printed.push(text)
  const verify = (name: string, url: string, keysAt = place('keys.json')) =>
    runVerifyAnswer(place(name), { url, keys: keysAt }, { signal, print })
  const rotate = async (options: RotateOptions) => {
    printed.length = 0
    await runRotate(options, { config: { DATA_DIR: place('data') }, print })
    return printed.join('')
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'launch-data-verify-'))
    const values = new Map([['answer-cut', '1790000000000']])
    const ctx = {
      ...{ method: 'GET', path, search: '?minutes=5', status: 200, body: '{}' },
      get: () => 'sig1=();nonce="mine"',
      set: (name: string, value: string) => values.set(name.toLowerCase(), value),
      response: { headers: Object.fromEntries(values), get: (name: string) => values.get(name.toLowerCase()) },
    }
    const onFailure = (error: unknown) => {
      throw error
    }
    await createAnswerSigner({ keys, publicBaseUrl: 'https://data.example', onFailure })(ctx as unknown as Context)
    const head = [...values].map(([name, value]) => `${name}: ${value}\r\n`).join('')
    await writeFile(place('answer.http'), `HTTP/1.1 200 OK\r\n${head}\r\n{}`)
    await writeFile(place('changed.http'), `HTTP/1.1 200 OK\r\n${head}\r\n{ }`)
    await writeFile(place('keys.json'), JSON.stringify({ keys: [{ kty: 'RSA' }, ...(await keys.published())] }))
  })
  after(() => rm(folder, { recursive: true }))

  it('print what was verified, or what is wrong', async () => {
    const url = `https://data.example${path}?minutes=5`
    expect([await verify('answer.http', url), await verify('changed.http', url)]).to.deep.equal([true, false])
    const [key] = await keys.published()
    expect(printed.splice(0)).to.deep.equal([
      `OK  the service signed this answer for this request
  route       GET /v1/rh/bursts/live
  parameters  minutes=5
  status      200
  cut         2026-09-21T14:13:20.000Z (1790000000000)
  body        2 bytes, SHA-256 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a
  signed at   2026-09-21T14:13:20Z
  key         ${key?.kid}
  nonce       mine
  covered     @status content-digest @method;req @path;req @query;req answer-cut
`,
      'WRONG  the body is not the one that was signed: its SHA-256 is not that of Content-Digest\n',
    ])
  })

  it('refuse a URL that is not whole, and files that cannot be read', async () => {
    const check = (name: string, url: string) => codeOf(verify(name, url))
    for (const url of [path, 'ftp://data.example/', 'https://'])
      expect(await check('answer.http', url), url).to.match(/^config_invalid: --url must be the whole URL/)
    const url = `https://data.example${path}`
    expect(await check('none.http', url)).to.match(/^nothing_found: the file .* cannot be read \(ENOENT\)/)
    expect(await check('.', url)).to.match(/^nothing_found: .* is no file/)
    await writeFile(place('large.http'), '')
    await truncate(place('large.http'), 64 * 1024 * 1024 + 1)
    expect(await check('large.http', url)).to.match(/^nothing_found: .* has 67108865 bytes, and at most 67108864 are/)
  })

  it('read the keys of a service within bounds, and follow no redirects', async () => {
    const [known] = await keys.published()
    const answers: Record<string, readonly [number, string]> = {
      '/good': [200, await readFile(place('keys.json'), 'utf8')],
      '/renamed': [200, JSON.stringify({ keys: [{ ...known, kid: 'another' }] })],
      '/long': [200, `{"keys":[]}${' '.repeat(1024 * 1024)}`],
      '/none': [200, '{"keys":[{"kty":"OKP","crv":"X25519","x":"AAAA"}]}'],
      '/text': [200, 'not JSON'],
      '/moved': [302, ''],
    }
    const server = createServer(({ url = '' }, response) => {
      const [status, body] = answers[url] ?? [404, '']
      response.writeHead(status, { Location: '/good', Connection: 'close' }).end(body)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const read = (at: string) => readKeys(base + at, signal)
    for (const at of ['/good', '/renamed']) expect([...(await read(at)).keys()], at).to.deep.equal([known?.kid])
    for (const [at, fault] of [
      ['/long', 'is longer than 1048576 bytes'],
      ['/none', 'has no Ed25519 key'],
      ['/text', 'has no key directory'],
      ['/moved', 'answers 302'],
      ['/missing', 'answers 404'],
    ] as const)
      expect(await codeOf(read(at))).to.contain(`nothing_found: ${base}${at} ${fault}. Set --keys to`)
    server.close()
    await once(server, 'close')
    expect(await codeOf(read('/good'))).to.contain('does not answer. Set --keys to')
  })

  it('make the first key, then another one, and print from when on it signs', async () => {
    const first = await rotate({ after: '0' })
    expect(first).to.match(/^the new key [\w-]{43} signs from \S+Z on\n0 earlier keys stay published, .*\nA running/)
    const second = await rotate({ after: '300' })
    expect(second).to.match(/\n1 earlier key stays published, so that old answers can be verified\.\n/)
    const [, from = ''] = /signs from (\S+) on/.exec(second) ?? []
    expect(Date.parse(from) - Date.now()).to.be.within(240_000, 300_000)
    expect(await rotate({ after: '300', revoke: true })).to.contain('No earlier key is published any more.')
  })

  for (const after of ['-1', '1.5', '86401', 'soon', ''])
    it(`refuse --after "${after}"`, async () => {
      const refused = await codeOf(rotate({ after }))
      expect(refused).to.equal('config_invalid: --after must be a whole number of seconds from 0 to 86400')
    })
})
