import { expect } from 'chai'
import { createLogger, loggedLines } from '../../infra/telemetry.ts'

describe('the logger', () => {
  it('counts the lines that it writes at the levels warn, error and fatal', () => {
    const before = { ...loggedLines }
    const lines: string[] = []
    const logger = createLogger('test', 'warn', { write: (line) => void lines.push(line) })
    logger.info('not written')
    logger.warn('one')
    logger.child({ part: 'a child' }).error({ err: new RangeError('two') }, 'two')
    logger.fatal('three')
    createLogger('test', 'silent', { write: (line) => void lines.push(line) }).error('not written')
    expect(lines).to.have.lengthOf(3)
    expect(loggedLines).to.deep.equal({ warn: before.warn + 1, error: before.error + 1, fatal: before.fatal + 1 })
  })
})
