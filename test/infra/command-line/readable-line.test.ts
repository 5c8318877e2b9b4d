import { expect } from 'chai'
import { readableLine } from '../../../infra/command-line/readable-line.ts'
import { createLogger } from '../../../infra/telemetry.ts'

const written = (log: (logger: ReturnType<typeof createLogger>) => void): string => {
  const lines: string[] = []
  log(createLogger('ingest', 'info', { write: (line) => void lines.push(line) }))
  return lines
    .map(readableLine)
    .join('\n')
    .replace(/^\d\d:\d\d:\d\d/, 'TIME')
}

describe('a log line on a terminal', () => {
  it('is a sentence: time of day, program, level, text, cause and facts', () => {
    expect(
      written((logger) =>
        logger.warn({ waitMs: 250, reason: 'timeout' }, 'a request to the node failed; trying again'),
      ),
    ).to.equal('TIME ingest warning: a request to the node failed; trying again (waitMs 250, reason timeout)')
    expect(written((logger) => logger.error({ err: new TypeError('fetch failed') }, 'request failed'))).to.equal(
      'TIME ingest ERROR: request failed: fetch failed',
    )
    expect(written((logger) => logger.info('started'))).to.equal('TIME ingest: started')
  })

  it('stays as it is when it is no log line', () => {
    expect(readableLine('Warning: something of Node\n')).to.equal('Warning: something of Node')
    expect(readableLine('{"half')).to.equal('{"half')
  })
})
