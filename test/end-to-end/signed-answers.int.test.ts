/**
 * Buys signed answers from a running service with money of a local chain, and verifies them with the command line. Also
 * buys an answer again under the name of its purchase, and rotates the key.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import { appendPaymentIdentifierToExtensions } from '@x402/extensions/payment-identifier'
import { expect } from 'chai'
import { openSigningKeys } from '../../infra/data-dir/signing-keys.ts'
import { keyDirectoryPath } from '../../schemas/signed-answers.ts'
import { type LocalShop, openLocalShop } from '../support/payments/local-shop.ts'
import { startNode } from '../support/programs.ts'
import { isSignedBy } from '../support/signing-keys.ts'

const path = '/v1/rh/bursts/live?minutes=5'

describe('a signed answer of a running service', () => {
  let root: string
  let dataDir: string
  let shop: LocalShop
  /** The clock of the keys. It moves, because a service reads the keys again after five seconds. */
  let laterMs = 0

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'launch-data-signed-answers-'))
    dataDir = join(root, 'data')
    const signingKeys = await openSigningKeys({ dataDir, nowMs: () => Date.now() + laterMs })
    shop = await openLocalShop(undefined, { signingKeys })
  })
  after(async () => {
    await shop?.close()
    await rm(root, { recursive: true })
  })

  const pay = async (name: string) => {
    const asked = await fetch(shop.url + path)
    await asked.arrayBuffer()
    const required = decodePaymentRequiredHeader(asked.headers.get('payment-required') ?? '')
    const { extensions = {}, ...rest } = required
    const named = appendPaymentIdentifierToExtensions(structuredClone(extensions), name)
    const payload = await shop.signer.createPaymentPayload({ ...rest, extensions: named })
    return { 'PAYMENT-SIGNATURE': encodePaymentSignatureHeader(payload) }
  }
  const buy = async (headers: Record<string, string>) => {
    const response = await fetch(shop.url + path, { headers: { ...headers, 'Accept-Signature': 'sig1=()' } })
    const body = Buffer.from(await response.arrayBuffer())
    expect(response.status, body.toString()).to.equal(200)
    return { url: response.url, status: response.status, headers: response.headers, body }
  }
  type Bought = Awaited<ReturnType<typeof buy>>
  /** Writes the answer as `curl -i` prints it. */
  const save = async (name: string, { headers, body }: Bought) => {
    const lines = [...headers].map(([field, value]) => `${field}: ${value}\r\n`)
    await writeFile(join(root, name), Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${lines.join('')}\r\n`), body]))
  }
  const launchData = async (...args: readonly string[]) => {
    const program = startNode(`launch-data ${args[0]}`, ['infra/command-line/launch-data.js', ...args], {
      DATA_DIR: dataDir,
    })
    const { code } = await program.done
    return { code, printed: program.stdout() + program.stderr() }
  }
  const verify = (name: string, url = shop.url + path) => launchData('verify-answer', join(root, name), '--url', url)
  const keysNow = async () => ((await (await fetch(shop.url + keyDirectoryPath)).json()) as { keys: [] }).keys

  it('is verified by its keys, also when it is given again by name, and after the key was rotated', async () => {
    const payment = await pay('purchase-of-a-signed-answer')
    const moved = await shop.earned(async () => {
      const first = await buy(payment)
      await save('first.http', first)
      // The buyer has lost the payment, and signs another one under the same name.
      const again = await buy(await pay('purchase-of-a-signed-answer'))
      expect(again.body.equals(first.body)).to.equal(true)
      expect(again.headers.get('answer-cut')).to.equal(first.headers.get('answer-cut'))
      await save('again.http', again)
      for (const answer of [first, again]) expect(await isSignedBy(await keysNow(), answer)).to.equal(true)
    })
    expect(moved).to.equal(10_000n)
    const [right, again, wrong] = await Promise.all([
      verify('first.http'),
      verify('again.http'),
      verify('first.http', `${shop.url}/v1/rh/bursts/live?minutes=6`),
    ])
    for (const { code, printed } of [right, again]) {
      expect(printed).to.match(/^OK .*\n {2}route {7}GET \/v1\/rh\/bursts\/live\n {2}parameters {2}minutes=5\n/)
      expect(code).to.equal(0)
    }
    expect(wrong.code).to.equal(1)
    expect(wrong.printed).to.match(/^WRONG {2}the signature does not match/)

    const rotated = await launchData('rotate-signing-key', '--after', '0')
    expect(rotated.code, rotated.printed).to.equal(0)
    laterMs += 6_000
    const later = await buy(await pay('another-purchase-of-an-answer'))
    await save('later.http', later)
    const keys = await keysNow()
    expect(keys).to.have.lengthOf(2)
    expect(await isSignedBy(keys.slice(0, 1), later), 'signed with the new key').to.equal(true)
    for (const { printed } of await Promise.all([verify('first.http'), verify('later.http')]))
      expect(printed).to.match(/^OK /)

    expect((await launchData('rotate-signing-key', '--revoke')).code).to.equal(0)
    laterMs += 6_000
    const revoked = await verify('first.http')
    expect(revoked.code).to.equal(1)
    expect(revoked.printed).to.match(/^WRONG {2}the key .* is not among the keys of the service/)
  })
})
