import { generateKeyPairSync, sign } from 'node:crypto'
import { expect } from 'chai'
import { httpbis } from 'http-message-signatures'
import type { VerifyingKeys } from '../../../../infra/command-line/signing/read-keys.ts'
import { verifyAnswer } from '../../../../infra/command-line/signing/verify-answer.ts'
import { thumbprintOf } from '../../../../infra/data-dir/signing-keys.ts'

const { privateKey } = generateKeyPairSync('ed25519')
const { x = '' } = privateKey.export({ format: 'jwk' })
const keyId = thumbprintOf(x)
const createdSec = 1_790_000_000
const url = 'https://data.example/v1/rh/bursts/live?minutes=5'
/** The SHA-256 of `{}`, from `printf '{}' | sha256sum`. */
const digest = 'sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:'
const covered = ['@status', 'content-digest', '"@method";req', '"@path";req', '"@query";req', 'answer-cut']

type Given = Readonly<{
  fields?: readonly string[]
  tag?: string
  status?: number
  label?: string
  expires?: number
}>

/** Signs with another library than the one that verifies. */
async function signed({
  fields = covered,
  tag = 'launch-data-answer',
  status = 200,
  label = 'sig1',
  expires,
}: Given = {}) {
  const { headers } = await httpbis.signMessage(
    {
      key: { id: keyId, alg: 'ed25519', sign: async (data) => sign(null, data, privateKey) },
      ...{ name: label, fields: [...fields] },
      params: ['created', 'keyid', 'alg', 'tag', 'nonce', ...(expires === undefined ? [] : ['expires'])],
      paramValues: {
        ...{ created: new Date(createdSec * 1000), tag, nonce: 'mine' },
        ...(expires === undefined ? {} : { expires: new Date(expires * 1000) }),
      },
    },
    { status, headers: { 'content-digest': digest, 'answer-cut': '1789999999000' } },
    { method: 'GET', url, headers: {} },
  )
  return { status, headers: headers as Readonly<Record<string, string>>, body: '{}' }
}

type Answer = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: string }>
type Around = Readonly<{ url?: string; keys?: VerifyingKeys; nowSec?: number }>

const keysWith = (range: Readonly<{ nbf?: number; exp?: number }>): VerifyingKeys => new Map([[keyId, { x, ...range }]])

const check = ({ status, headers, body }: Answer, around: Around = {}) =>
  verifyAnswer({
    answer: {
      ...{ status, body: Buffer.from(body) },
      fields: Object.entries(headers).map(([name, value]) => ({ name: name.toLowerCase(), value })),
    },
    url: new URL(around.url ?? url),
    keys: around.keys ?? keysWith({ nbf: createdSec }),
    nowSec: around.nowSec ?? createdSec,
  })

const without = (headers: Answer['headers'], name: string): Answer['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([key]) => key.toLowerCase() !== name))

describe('the check of a signed answer', () => {
  it('says what the signature of another library covers', async () => {
    expect(await check(await signed())).to.deep.equal({
      ...{ keyId, createdSec, nonce: 'mine', cutAtMs: 1_789_999_999_000 },
      covered: ['@status', 'content-digest', '@method;req', '@path;req', '@query;req', 'answer-cut'],
      bodySha256: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
    })
  })

  it('shows no cut of a refusal that does not cover one', async () => {
    const refusal = await signed({ status: 404, fields: covered.slice(0, -1) })
    expect(await check(refusal)).to.include({ cutAtMs: null, nonce: 'mine' })
  })

  it('takes the signature of the service if a proxy added another one', async () => {
    const { headers, ...answer } = await signed()
    const other = (await signed({ tag: 'proxy', label: 'other' })).headers
    const both = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        /^signature/i.test(name) ? `${other[name]}, ${value}` : value,
      ]),
    )
    expect(await check({ ...answer, headers: both })).to.include({ keyId })
  })

  for (const [what, change, fault] of [
    ['another body', (answer: Answer) => ({ ...answer, body: '{ }' }), /^the body is not the one that was signed/],
    [
      'a compressed body',
      ({ headers, ...answer }: Answer) => ({
        ...answer,
        body: 'x',
        headers: { ...headers, 'Content-Encoding': 'gzip' },
      }),
      /It is compressed \(gzip\): save the answer without compression$/,
    ],
    [
      'another body with its own digest',
      ({ headers, ...answer }: Answer) => ({
        ...{ ...answer, body: '{"hello": "world"}\n' },
        headers: { ...headers, 'content-digest': 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:' },
      }),
      /^the signature does not match/,
    ],
    ['another status', (answer: Answer) => ({ ...answer, status: 203 }), /^the signature does not match/],
    [
      'another cut',
      ({ headers, ...answer }: Answer) => ({ ...answer, headers: { ...headers, 'answer-cut': '1' } }),
      /^the signature does not match/,
    ],
    [
      'no cut',
      ({ headers, ...answer }: Answer) => ({ ...answer, headers: without(headers, 'answer-cut') }),
      /^the signature cannot be accepted: Missing field answer-cut$/,
    ],
    [
      'no signature',
      ({ headers, ...answer }: Answer) => ({ ...answer, headers: without(headers, 'signature') }),
      /^the answer is not signed\. Send the header "Accept-Signature: sig1=\(\)"/,
    ],
    [
      'no digest',
      ({ headers, ...answer }: Answer) => ({ ...answer, headers: without(headers, 'content-digest') }),
      /^the answer is not signed/,
    ],
    [
      'a digest of another kind',
      ({ headers, ...answer }: Answer) => ({ ...answer, headers: { ...headers, 'content-digest': 'md5=:AAAA:' } }),
      /^the header Content-Digest has no sha-256/,
    ],
    [
      'a broken header',
      ({ headers, ...answer }: Answer) => ({ ...answer, headers: { ...headers, 'Signature-Input': 'sig1=(' } }),
      /^the header Signature-Input has no signature with the tag "launch-data-answer"/,
    ],
    [
      'a later time',
      ({ headers, ...answer }: Answer) => ({
        ...answer,
        headers: { ...headers, 'Signature-Input': headers['Signature-Input']!.replace('created=179', 'created=178') },
      }),
      /^the signature does not match/,
    ],
  ] as const)
    it(`refuses ${what}`, async () => {
      expect(((await check(change(await signed()))) as { fault: string }).fault).to.match(fault)
    })

  for (const other of [
    'https://data.example/v1/rh/bursts/live?minutes=6',
    'https://data.example/v1/rh/bursts/live',
    'https://data.example/v1/rh/crews?minutes=5',
  ])
    it(`refuses the answer of another URL: ${other}`, async () => {
      expect(await check(await signed(), { url: other }))
        .to.have.property('fault')
        .that.matches(/The URL, the status/)
    })

  it('accepts any host, because the key identifies the service', async () => {
    expect(await check(await signed(), { url: url.replace('data.example', '127.0.0.1:8402') })).to.include({ keyId })
  })

  for (const component of covered)
    it(`refuses a signature that does not cover ${component}`, async () => {
      const answer = await signed({ fields: covered.filter((each) => each !== component) })
      expect(await check(answer))
        .to.have.property('fault')
        .that.matches(/^the signature cannot be accepted: Required/)
    })

  it('refuses a signature for another purpose', async () => {
    const answer = await signed({ tag: 'web-bot-auth' })
    expect(await check(answer))
      .to.have.property('fault')
      .that.contains('has no signature with the tag')
  })

  it('refuses a key that is not published, also if its name is', async () => {
    const answer = await signed()
    expect(await check(answer, { keys: new Map() }))
      .to.have.property('fault')
      .that.equals(`the key ${keyId} is not among the keys of the service. Read the keys again (--keys)`)
    const other = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
    expect(await check(answer, { keys: new Map([[keyId, { x: other.x ?? '' }]]) })).to.have.property('fault')
  })

  it('refuses a signature from before or after the time of its key', async () => {
    const answer = await signed()
    const at = (range: Readonly<{ nbf?: number; exp?: number }>) => check(answer, { keys: keysWith(range) })
    const fault = 'the signature is of 2026-09-21T14:13:20Z, when this key did not sign answers'
    expect(await at({ nbf: createdSec + 1 })).to.deep.equal({ fault })
    expect(await at({ nbf: 1, exp: createdSec - 1 })).to.deep.equal({ fault })
    for (const range of [{}, { nbf: createdSec, exp: createdSec }]) expect(await at(range)).to.include({ keyId })
  })

  it('refuses a signature that has expired, or is of the future by more than five minutes', async () => {
    const at = async (nowSec: number, given: Given = {}) => check(await signed(given), { nowSec })
    expect(await at(createdSec - 300)).to.include({ keyId })
    expect(await at(createdSec - 301))
      .to.have.property('fault')
      .that.contains('in the future')
    const expires = createdSec + 10
    expect(await at(expires + 300, { expires })).to.include({ keyId })
    expect(await at(expires + 301, { expires }))
      .to.have.property('fault')
      .that.contains('has expired')
  })
})
