import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { openConsole } from '../../../infra/command-line/console.ts'
import type { Progress } from '../../../infra/program.ts'

/** Returns the messages that the service logs for these reports if its output is a pipe. */
function messagesOf(reports: readonly Partial<Progress>[]): readonly string[] {
  const lines: string[] = []
  const out = new PassThrough() as unknown as NodeJS.WriteStream
  const sink = { write: (line: string) => void lines.push(line) }
  const console = openConsole({ program: 'up', level: 'info', streams: { out, error: out }, sink })
  const live = { program: 'process', stage: 'chain-a', state: 'live', hasCaughtUp: true, text: '2 s behind' } as const
  for (const report of reports) console.report({ ...live, ...report })
  return lines.map((line) => (JSON.parse(line) as Readonly<{ msg: string }>).msg)
}

describe('the log of a service in a pipe', () => {
  it('says one time for each program and stage that it has caught up', () => {
    const messages = messagesOf([{}, { text: '3 s behind' }, { stage: 'chain-b' }, { program: 'project' }])
    expect(messages).to.deep.equal([
      'process of chain-a has caught up: 2 s behind',
      'process of chain-b has caught up: 2 s behind',
      'project of chain-a has caught up: 2 s behind',
    ])
  })

  it('does not say so while the program has read all of its input, but the input is old', () => {
    const old = { state: 'backfill', text: '3 h 50 min behind' } as const
    expect(messagesOf([old, old, { ...old, state: 'folding' }, {}, old])).to.deep.equal([
      'process of chain-a has read all of its input, which is not live yet: 3 h 50 min behind',
      'process of chain-a has caught up: 2 s behind',
    ])
  })

  it('does not say so while the program has not read all of its input', () => {
    expect(messagesOf([{ hasCaughtUp: false }])).to.deep.equal([])
  })
})
