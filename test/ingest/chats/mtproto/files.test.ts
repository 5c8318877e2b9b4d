import { mkdir, mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { cursorsIn } from '../../../../ingest/chats/mtproto/cursors.ts'
import { readPrivate, writePrivate } from '../../../../ingest/chats/mtproto/private-file.ts'
import { readSession } from '../../../../ingest/chats/mtproto/session.ts'

describe('what is kept of an account', () => {
  let dataDir: string
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'chats-'))
  })
  afterEach(() => rm(dataDir, { recursive: true }))

  it('is readable by its owner alone, also in a file that everybody could read before', async () => {
    const file = join(dataDir, 'kept')
    await writeFile(`${file}.new`, 'left over', { mode: 0o644 })
    await writePrivate(file, 'a secret')
    expect((await stat(file)).mode & 0o777).to.equal(0o600)
    expect(await readPrivate(file)).to.equal('a secret')
  })

  it('is never in a draft that somebody else has open', async () => {
    const file = join(dataDir, 'kept')
    await writeFile(`${file}.new`, 'left over', { mode: 0o644 })
    const leftOver = await open(`${file}.new`)
    await writePrivate(file, 'a secret')
    expect(await leftOver.readFile('utf8')).to.equal('left over')
    await leftOver.close()
  })

  it('is complete in a draft before the draft replaces it: a failed draft leaves the old text', async () => {
    const file = join(dataDir, 'kept')
    await writePrivate(file, 'the old text')
    await mkdir(`${file}.new`)
    const failed = await writePrivate(file, 'the new text').catch((error: NodeJS.ErrnoException) => error.code)
    expect([failed, await readPrivate(file)]).to.deep.equal(['ERR_FS_EISDIR', 'the old text'])
  })

  it('is private before it replaces the old file', async () => {
    const file = join(dataDir, 'kept')
    await writeFile(`${file}.new`, 'left over', { mode: 0o644 })
    // A folder is in place of the file, so that the rename fails.
    await mkdir(file)
    const failed = await writePrivate(file, 'a secret').catch((error: NodeJS.ErrnoException) => error.code)
    expect([failed, (await stat(`${file}.new`)).mode & 0o777]).to.deep.equal(['EISDIR', 0o600])
  })

  it('is nothing before somebody signs in', async () => {
    expect([await readSession(dataDir), await cursorsIn(dataDir).read()]).to.deep.equal([null, {}])
  })

  it('is where reading stands, and begins anew from a file that is none', async () => {
    const positions = { '@calls': { chat: '-1001', chatName: 'calls', channelId: 1, accessHash: '-9', pts: 3 } }
    await cursorsIn(dataDir).write(positions)
    expect(await cursorsIn(dataDir).read()).to.deep.equal(positions)
    for (const text of ['{', '[]', '{"@calls":{"pts":"3"}}']) {
      await writeFile(join(dataDir, 'chats', 'positions.json'), text)
      expect(await cursorsIn(dataDir).read(), text).to.deep.equal({})
    }
  })
})
