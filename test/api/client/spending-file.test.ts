import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openSpendingFile } from '../../../api/client/spending-file.ts'
import type { Spending } from '../../../api/client/spending-store.ts'
import { isOperationError } from '../../../infra/errors.ts'

describe('the file of the spending', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'spending-file-'))
    file = join(folder, 'spending.json')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const spending: Spending = {
    ...{ day: '2026-11-28', spentUsdMicros: 10_000, payTo: '0xshop', passToken: null },
    open: [{ name: 'launch-data-1', path: '/v1/x', usdMicros: 5, payment: 'a payment', signedAtMs: 1 }],
  }
  const codeOf = (work: () => unknown): unknown => {
    try {
      work()
      return null
    } catch (error) {
      return isOperationError(error) ? error.code : error
    }
  }

  it('is absent at first, and then has what was saved last', async () => {
    const store = openSpendingFile(file)
    expect(await store.load()).to.equal(null)
    await store.save({ ...spending, open: [] })
    await store.save(spending)
    await store.close()
    const next = openSpendingFile(file)
    expect(await next.load()).to.deep.equal(spending)
    await next.close()
    expect(readdirSync(folder)).to.deep.equal(['spending.json'])
  })

  it('can be read only by its owner, because it contains payments', async () => {
    const store = openSpendingFile(file)
    await store.save(spending)
    await store.close()
    expect(statSync(file).mode & 0o777).to.equal(0o600)
  })

  it('is used by one process at a time, so that two programs do not spend the limit twice', async () => {
    const store = openSpendingFile(file)
    expect(codeOf(() => openSpendingFile(file))).to.equal('data_dir_in_use')
    expect(readdirSync(folder)).to.deep.equal(['spending.json.lock'])
    await store.close()
    await openSpendingFile(file).close()
  })

  it('is taken over from a process that has ended', async () => {
    for (const owner of [`${process.pid} another start`, '999999999 null', '']) {
      writeFileSync(`${file}.lock`, owner)
      const store = openSpendingFile(file)
      expect(readFileSync(`${file}.lock`, 'utf8')).to.match(new RegExp(`^${process.pid} `))
      await store.close()
    }
    expect(readdirSync(folder)).to.deep.equal([])
  })

  it('is not taken over while another process does this', () => {
    writeFileSync(`${file}.lock`, '999999999 null')
    writeFileSync(`${file}.lock.claim`, '')
    expect(codeOf(() => openSpendingFile(file))).to.equal('data_dir_in_use')
  })

  it('is refused if it is damaged, without a word of its content', async () => {
    for (const text of ['', '{"day":', JSON.stringify({ ...spending, open: [{ payment: 'a payment' }] })]) {
      writeFileSync(file, text)
      const store = openSpendingFile(file)
      const error = await store.load().catch((cause: unknown) => cause)
      expect(isOperationError(error, 'config_invalid')).to.equal(true)
      expect(String(error)).to.contain(file).and.not.contain('a payment')
      await store.close()
    }
  })
})
