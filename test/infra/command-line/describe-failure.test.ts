import { expect } from 'chai'
import { describeFailure } from '../../../infra/command-line/describe-failure.ts'
import { OperationError } from '../../../infra/errors.ts'

const systemError = (code: string, path?: string) =>
  Object.assign(new Error(`${code}: system call`), { code, ...(path && { path }) })

describe('what is said when a program ends', () => {
  const said: readonly (readonly [string, unknown, string])[] = [
    [
      'a failure with its code and facts',
      new OperationError('port_in_use', 'port 1 is in use', { context: { port: 1 } }),
      'launch-data: port 1 is in use (port_in_use) {"port":1}',
    ],
    [
      'a full disk, not an internal error',
      systemError('ENOSPC', '/data/log'),
      'launch-data: /data/log: the disk is full. Make room, then start again',
    ],
    [
      'a full disk under a copy, by the path of the copy',
      Object.assign(systemError('ENOSPC', '/backup/log'), { dest: '/data/log' }),
      'launch-data: /data/log: the disk is full. Make room, then start again',
    ],
    [
      'a file that cannot be copied, by its own path',
      Object.assign(systemError('EACCES', '/backup/log'), { dest: '/data/log' }),
      'launch-data: /backup/log: this user may not write there. Give this user write permission or choose another DATA_DIR, then start again',
    ],
    [
      'a full disk deep in a failure, in the words of LMDB',
      new OperationError('log_failed', 'writing failed', {
        cause: new Error('Commit failed: No space left on device'),
      }),
      'launch-data: the disk is full. Make room, then start again (Commit failed: No space left on device)',
    ],
    [
      'a full disk, in the words of ClickHouse',
      new OperationError('database_failed', 'ClickHouse failed', {
        cause: new Error('Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space. (NOT_ENOUGH_SPACE)'),
      }),
      'launch-data: the disk is full. Make room, then start again ' +
        '(Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space. (NOT_ENOUGH_SPACE))',
    ],
    [
      'a full disk, where no path is told',
      systemError('ENOSPC'),
      'launch-data: the disk is full. Make room, then start again (ENOSPC: system call)',
    ],
    [
      'a port that this user may not open, and no disk',
      new OperationError('port_in_use', 'cannot listen on 127.0.0.1:80', { cause: systemError('EACCES') }),
      'launch-data: cannot listen on 127.0.0.1:80 (port_in_use)',
    ],
    [
      'a disk that cannot be written',
      systemError('EROFS', '/data'),
      'launch-data: /data: the disk is read-only. Mount it writable or choose another DATA_DIR, then start again',
    ],
    [
      'a folder of somebody else',
      systemError('EACCES', '/data'),
      'launch-data: /data: this user may not write there. Give this user write permission or choose another DATA_DIR, then start again',
    ],
  ]
  for (const [what, error, text] of said) it(`is ${what}`, () => expect(describeFailure(error)).to.equal(text))

  it('is an internal error, with its place, where nothing else is known', () => {
    expect(describeFailure(new TypeError('x is undefined'))).to.match(
      /^launch-data: internal error: TypeError: x is und.*\n +at /,
    )
    expect(describeFailure('text')).to.equal('launch-data: internal error: text')
  })
})
