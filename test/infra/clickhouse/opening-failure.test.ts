import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openingFailure } from '../../../infra/clickhouse/opening-failure.ts'
import { OperationError } from '../../../infra/errors.ts'

describe('tables that cannot be opened', () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'launch-data-'))
  })
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

  const withCode = (code: string, message: string) => Object.assign(new Error(message), { code })
  for (const [what, cause, code, isDamaged] of [
    ['a full disk', withCode('243', 'Cannot reserve 1.00 MiB, not enough space.'), 'database_failed', false],
    [
      'a file without rights',
      withCode('76', 'Cannot open file /clickhouse/store/a: Permission denied'),
      'database_failed',
      false,
    ],
    ['no memory', withCode('241', 'Memory limit exceeded'), 'database_failed', false],
    ['a broken file', withCode('40', 'Checksum doesn’t match: clickhouse/store/a'), 'database_failed', true],
    [
      'an engine that says nothing',
      withCode('CHDB_CONNECTION', 'Failed to create connection for path'),
      'database_failed',
      true,
    ],
    ['another folder', new Error('only one active data directory per process'), 'data_dir_in_use', false],
    [
      'a failure that is told already',
      new OperationError('dependency_missing', 'no engine'),
      'dependency_missing',
      false,
    ],
  ] as const)
    it(`are ${isDamaged ? 'noted as damaged' : 'left as they are'} for ${what}`, () => {
      const failure = openingFailure(dataDir, join(dataDir, 'clickhouse'), cause)
      expect(failure.code).to.equal(code)
      expect(failure.message).to.match(isDamaged ? /are damaged: .*Start the service again/ : /^(?!.*damaged)/)
      expect(existsSync(join(dataDir, 'clickhouse-damage'))).to.equal(isDamaged)
    })
})
