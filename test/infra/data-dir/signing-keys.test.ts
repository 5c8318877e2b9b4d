import { createPublicKey, verify } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { backUp } from '../../../infra/backup/back-up.ts'
import { restoreBackup } from '../../../infra/backup/restore.ts'
import { openSigningKeys, rotateSigningKey } from '../../../infra/data-dir/signing-keys.ts'

describe('the keys of signed answers', () => {
  let root: string
  let dataDir: string
  let atMs: number
  const nowMs = () => atMs
  const open = (of = dataDir) => openSigningKeys({ dataDir: of, nowMs })
  const rotate = (afterMs = 0, revokes = false) => rotateSigningKey({ dataDir, nowMs, afterMs, revokes })
  const file = () => join(dataDir, 'secrets/signing-keys')
  const stored = async () => (JSON.parse(await readFile(file(), 'utf8')) as { keys: readonly { d?: string }[] }).keys
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: Readonly<{ code: string; message: string }>) => `${error.code}: ${error.message}`,
    )

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'launch-data-signing-keys-'))
    dataDir = join(root, 'data')
    atMs = 1_790_000_000_500
  })
  afterEach(() => rm(root, { recursive: true }))

  it('are made one time, for the owner only, and signatures are verified by the published key', async () => {
    const keys = await open()
    const { id, atSec, sign } = await keys.current()
    expect(atSec).to.equal(1_790_000_000)
    const [published] = await keys.published()
    expect(published).to.deep.include({ kty: 'OKP', crv: 'Ed25519', kid: id, use: 'sig', nbf: 1_790_000_000 })
    expect(published).to.have.all.keys('kty', 'crv', 'kid', 'use', 'nbf', 'x')
    const data = Buffer.from('some bytes')
    const publicKey = createPublicKey({ key: { ...published }, format: 'jwk' })
    expect(verify(null, data, publicKey, sign(data))).to.equal(true)
    expect((await (await open()).current()).id).to.equal(id)
    expect((await stat(file())).mode & 0o777).to.equal(0o600)
    expect((await stat(join(dataDir, 'secrets'))).mode & 0o777).to.equal(0o700)
  })

  it('are the same for processes that start at the same time, and no draft is left', async () => {
    const opened = await Promise.all([open(), open(), open()])
    const ids = await Promise.all(opened.map(async (keys) => (await keys.current()).id))
    expect(new Set(ids).size).to.equal(1)
    expect(await readdir(join(dataDir, 'secrets'))).to.deep.equal(['signing-keys'])
  })

  it('are the same after a restore of a backup', async () => {
    const { id } = await (await open()).current()
    await rotate(300_000)
    const { signal } = new AbortController()
    const folder = join(root, 'backup')
    await backUp({ dataDir, folder, copyLog: null, nowMs, signal })
    await restoreBackup({ folder, dataDir: join(root, 'restored'), signal })
    const restored = await open(join(root, 'restored'))
    expect((await restored.current()).id).to.equal(id)
    expect(await restored.published()).to.deep.equal(await (await open()).published())
  })

  it('are rotated while a service runs: the new key is published first, and signs at its time', async () => {
    const keys = await open()
    const { id: first } = await keys.current()
    const { id: second, publishedCount } = await rotate(300_000)
    expect(publishedCount).to.equal(2)
    atMs += 4_999
    expect(await keys.published(), 'read again after five seconds').to.have.lengthOf(1)
    atMs += 1
    expect((await keys.published()).map(({ kid }) => kid)).to.deep.equal([second, first])
    expect((await keys.current()).id).to.equal(first)
    atMs = 1_790_000_300_499
    expect((await keys.current()).id).to.equal(first)
    atMs += 1
    expect((await keys.current()).id).to.equal(second)
    // The old key may be used by another process for one more minute.
    expect((await keys.published()).map(({ nbf, exp }) => [nbf, exp])).to.deep.equal([
      [1_790_000_300, undefined],
      [1_790_000_000, 1_790_000_361],
    ])
  })

  it('lose their private halves when they have ended, and never their public halves', async () => {
    const keys = await open()
    for (let count = 0; count < 3; count++) {
      await rotate()
      atMs += 120_000
    }
    expect((await stored()).map(({ d }) => d !== undefined)).to.deep.equal([false, false, true, true])
    expect(await keys.published()).to.have.lengthOf(4)
  })

  it('take the newer one of two keys that were made before they sign', async () => {
    const keys = await open()
    await rotate(300_000)
    const { id } = await rotate(60_000)
    atMs += 60_000
    expect((await keys.current()).id).to.equal(id)
    atMs += 600_000
    expect((await keys.current()).id).to.equal(id)
  })

  it('are revoked at once, with all keys before', async () => {
    const keys = await open()
    await rotate(300_000)
    const { id, fromMs } = await rotate(300_000, true)
    expect(fromMs).to.equal(atMs)
    atMs += 5_000
    expect((await keys.current()).id).to.equal(id)
    expect((await keys.published()).map(({ kid }) => kid)).to.deep.equal([id])
    expect(await stored()).to.have.lengthOf(1)
  })

  it('begin with a key that signs at once, if no service has run before', async () => {
    const { id } = await rotate(300_000)
    expect((await (await open()).current()).id).to.equal(id)
  })

  it('sign although the clock is before their first instant', async () => {
    const keys = await open()
    const { id } = await keys.current()
    atMs -= 3_600_000
    expect((await keys.current()).id).to.equal(id)
  })

  it('are rotated by one process at a time', async () => {
    await open()
    await writeFile(`${file()}.new`, '')
    expect(await codeOf(rotate())).to.match(
      /^folder_unusable: .*signing-keys\.new is left from a rotation .* delete it$/,
    )
    await rm(`${file()}.new`)
    await rotate()
    expect(await readdir(join(dataDir, 'secrets'))).to.deep.equal(['signing-keys'])
  })

  for (const [what, damage] of [
    ['is no JSON', () => '{'],
    ['has no key', () => JSON.stringify({ format: 1, keys: [] })],
    ['is of a later format', (text: string) => text.replace('"format":1', '"format":2')],
    ['has no private key', (text: string) => text.replace(/"d":"[^"]+",/, '')],
    ['has the private key of another public key', (text: string) => text.replace(/"d":"..../, '"d":"AAAA')],
  ] as const)
    it(`refuse to start if the file ${what}, and do not show it`, async () => {
      const keys = await open()
      const { id } = await keys.current()
      const text = await readFile(file(), 'utf8')
      await writeFile(file(), damage(text))
      const refused = await codeOf(open())
      expect(refused).to.match(/^folder_unusable: .*signing-keys is damaged\. Restore it from a backup/)
      expect(refused).to.not.contain('"d"')
      expect(await codeOf(rotate())).to.match(/^folder_unusable: .*is damaged/)
      expect(await readdir(join(dataDir, 'secrets'))).to.deep.equal(['signing-keys'])
      atMs += 60_000
      expect((await keys.current()).id, 'a running service keeps its keys').to.equal(id)
    })
})
