/** Facts that other people published: the test vectors of RFC 9421, RFC 9530 and RFC 8037. */
import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { expect } from 'chai'
import { createSignatureSync, verifySignature } from 'http-message-sig'
import type { Context } from 'koa'
import { createAnswerSigner } from '../../../api/signing/sign-answer.ts'
import { thumbprintOf } from '../../../infra/data-dir/signing-keys.ts'
import { isSignedBy, signingKeysOf } from '../../support/signing-keys.ts'

/** The key test-key-ed25519 of RFC 9421, B.1.4. */
const rfcKey = {
  ...{ kty: 'OKP', crv: 'Ed25519' },
  d: 'n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU',
  x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs',
}
const privateKey = createPrivateKey({ key: rfcKey, format: 'jwk' })

/** Signs a response with the key of RFC 9421. `publicBaseUrl` is that of the service. */
async function signed(given: Record<string, string> = {}, publicBaseUrl = 'https://data.example') {
  const { body = '{}', search = '', path = '/v1/rh/bursts/live', asked = 'sig1=()', ...headers } = given
  const values = new Map(Object.entries(headers))
  const ctx = {
    ...{ method: 'GET', path, search, status: 200, body },
    get: () => asked,
    set: (name: string, value: string) => values.set(name.toLowerCase(), value),
    response: {
      headers: Object.fromEntries(values),
      get: (name: string) => values.get(name.toLowerCase()),
    },
  }
  const keys = signingKeysOf(privateKey)
  const failures: unknown[] = []
  const onFailure = (error: unknown) => void failures.push(error)
  await createAnswerSigner({ keys, publicBaseUrl, onFailure })(ctx as unknown as Context)
  expect(failures).to.deep.equal([])
  return { keys: await keys.published(), headers: new Headers([...values]), body: Buffer.from(ctx.body) }
}

describe('the library of signatures', () => {
  const { 'signature-input': signatureInput, signature } = {
    'signature-input':
      'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
    signature: 'sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:',
  }
  const request = {
    ...({ kind: 'request', method: 'POST', targetUri: 'https://example.com/foo?param=Value&Pet=dog' } as const),
    fields: [
      { name: 'date', value: 'Tue, 20 Apr 2021 02:07:55 GMT' },
      { name: 'content-type', value: 'application/json' },
      { name: 'content-length', value: '18' },
    ],
  }

  it('makes the signature of RFC 9421, B.2.6', () => {
    const made = createSignatureSync(request, {
      label: 'sig-b26',
      components: ['date', '@method', '@path', '@authority', 'content-type', 'content-length'],
      parameters: { created: 1_618_884_473, keyid: 'test-key-ed25519' },
      signer: { algorithm: 'ed25519', sign: (data) => sign(null, data, privateKey) },
    })
    expect(made).to.deep.equal({ signatureInput, signature })
  })

  it('verifies the signature of RFC 9421, B.2.6, and no other request', async () => {
    const check = (method: string) =>
      verifySignature(
        {
          ...{ ...request, method },
          fields: [
            ...request.fields,
            { name: 'signature-input', value: signatureInput },
            { name: 'signature', value: signature },
          ],
        },
        {
          policy: { algorithms: ['ed25519'], requiredComponents: ['@method'], requiredParameters: ['created'] },
          resolveVerifier: () => ({
            algorithm: 'ed25519',
            verify: (data, bytes) => verify(null, data, createPublicKey(privateKey), bytes),
          }),
        },
      ).then(
        () => 'verified',
        (error: Readonly<{ code: string }>) => error.code,
      )
    expect(await check('POST')).to.equal('verified')
    expect(await check('GET')).to.equal('VerificationFailed')
  })
})

describe('the signature of an answer', () => {
  it('has the digest that RFC 9530 gives for its example', async () => {
    const { headers } = await signed({ body: '{"hello": "world"}\n' })
    expect(headers.get('content-digest')).to.equal('sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:')
  })

  it('names the key by its thumbprint, as RFC 8037 computes it', () => {
    expect(thumbprintOf('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo')).to.equal(
      'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    )
  })

  it('is over exactly this text', async () => {
    const { headers } = await signed({ search: '?minutes=5&tier=all', 'answer-cut': '1790000000000' })
    const parameters = `("@status" "content-digest" "@method";req "@path";req "@query";req "answer-cut");created=1790000000;keyid="${thumbprintOf(rfcKey.x)}";alg="ed25519";tag="launch-data-answer"`
    expect(headers.get('signature-input')).to.equal(`sig1=${parameters}`)
    const base = [
      '"@status": 200',
      `"content-digest": sha-256=:${createHash('sha256').update('{}').digest('base64')}:`,
      '"@method";req: GET',
      '"@path";req: /v1/rh/bursts/live',
      '"@query";req: ?minutes=5&tier=all',
      '"answer-cut": 1790000000000',
      `"@signature-params": ${parameters}`,
    ].join('\n')
    expect(headers.get('signature')).to.equal(`sig1=:${sign(null, Buffer.from(base), privateKey).toString('base64')}:`)
  })

  it('has the label and the nonce of the client, and the receipt only if the client asks for it', async () => {
    const receipt = { 'payment-response': 'e30=' }
    const { headers } = await signed({ ...receipt, asked: 'mine=("payment-response");nonce="n \\"1\\""' })
    expect(headers.get('signature-input')).to.match(
      /^mine=\("@status" .* "@query";req "payment-response"\);.*;tag="launch-data-answer";nonce="n \\"1\\""$/,
    )
    expect((await signed(receipt)).headers.get('signature-input')).to.not.contain('payment-response')
    expect((await signed({ asked: 'a=("payment-response")' })).headers.has('signature')).to.equal(false)
  })

  it('is verified by another library, whatever is in the URL and the body', async () => {
    for (const given of [
      {},
      { search: '?a=%2F%3f+%20&b=&&c=d=e', body: '{"text":"\u00e9\u{1f600}"}' },
      { path: '/v1/rh/token/0xAbC%41/rugcheck', 'answer-cut': '0' },
    ]) {
      const { keys, ...response } = await signed(given)
      const { path = '/v1/rh/bursts/live', search = '' } = given as Record<string, string>
      const received = { ...response, status: 200, url: `https://elsewhere.example${path}${search}` }
      expect(await isSignedBy(keys, received), JSON.stringify(given)).to.equal(true)
      expect(await isSignedBy(keys, { ...received, status: 404 })).to.equal(false)
      expect(await isSignedBy(keys, { ...received, url: `${received.url}&x=1` })).to.equal(false)
      expect(await isSignedBy(keys, { ...received, body: Buffer.from('{"a":1}') })).to.equal(false)
    }
  })

  it('is over the path that the client sent, if a proxy removes the beginning of it', async () => {
    const { keys, ...response } = await signed({}, 'https://data.example/launch/')
    const at = (url: string) => isSignedBy(keys, { ...response, status: 200, url })
    expect(await at('https://data.example/launch/v1/rh/bursts/live')).to.equal(true)
    expect(await at('https://data.example/v1/rh/bursts/live')).to.equal(false)
  })

  it('is absent if the URL is not ASCII or nothing was asked, and then nothing else changes', async () => {
    for (const given of [{ path: '/v1/\u00e9' }, { search: '?a=\u00ff' }, { asked: '' }, { asked: 'x' }]) {
      const { headers } = await signed({ ...given, 'cache-control': 'private, no-store' })
      expect([...headers]).to.deep.equal([['cache-control', 'private, no-store']])
    }
  })

  it('is absent if it cannot be made, and the answer is sent all the same', async () => {
    const failures: unknown[] = []
    const failure = new RangeError('no key')
    const keys = { ...signingKeysOf(privateKey), current: () => Promise.reject(failure) }
    const onFailure = (error: unknown) => void failures.push(error)
    const signer = createAnswerSigner({ keys, publicBaseUrl: 'https://data.example', onFailure })
    await signer({ get: () => 'sig1=()' } as unknown as Context)
    expect(failures).to.deep.equal([failure])
  })

  it('forbids proxies to change the bytes', async () => {
    const { headers } = await signed({ 'cache-control': 'private, no-store' })
    expect(headers.get('cache-control')).to.equal('private, no-store, no-transform')
  })
})
