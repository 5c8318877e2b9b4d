import { expect } from 'chai'
import { type Screen, screenLines } from '../../../infra/command-line/screen.ts'

const size = { columns: 80, rows: 24 }

const running: Screen = {
  title: 'Launch Data Service',
  notice: 'SIMULATED MARKET',
  places: [
    ['answers', 'http://127.0.0.1:8402'],
    ['payments', 'local chain'],
  ],
  progress: new Map([
    ['project', { program: 'project', stage: 'chain-a', state: 'live', hasCaughtUp: true, text: '1 s behind' }],
    [
      'ingest',
      { program: 'ingest', stage: 'chain-a', state: 'backfill', hasCaughtUp: false, text: '3 h 20 min behind' },
    ],
  ]),
  headlines: ['12:00:01  main', '12:00:02  lite'],
  hints: ['curl -s localhost:8402/health'],
}

describe('the screen', () => {
  it('shows where things are, how far the programs are in the order of the data, what is new and what to try', () => {
    expect(screenLines(running, size)).to.deep.equal([
      'Launch Data Service',
      'SIMULATED MARKET',
      '',
      '  answers   http://127.0.0.1:8402',
      '  payments  local chain',
      '',
      '  ingest    chain-a   backfill  3 h 20 min behind',
      '  project   chain-a   live      1 s behind',
      '',
      'Newest bursts',
      '  12:00:01  main',
      '  12:00:02  lite',
      '',
      'Try in another terminal',
      '  curl -s localhost:8402/health',
    ])
  })

  it('fits the terminal: the oldest headlines give way, then all of them', () => {
    const headlines = Array.from({ length: 30 }, (_, index) => `headline ${index}`)
    for (let rows = 16; rows <= 40; rows++) {
      const lines = screenLines({ ...running, headlines }, { columns: 80, rows })
      expect(lines.length, `${rows} rows`).to.be.at.most(rows - 1)
      expect(lines.at(-1)).to.equal('  curl -s localhost:8402/health')
      if (rows >= 18) expect(lines).to.include('  headline 29')
    }
    expect(screenLines({ ...running, headlines }, { columns: 80, rows: 40 }))
      .to.include('  headline 22')
      .and.not.include('  headline 21')
  })

  it('cuts a line that is wider than the terminal', () => {
    const [line] = screenLines({ ...running, title: 'x'.repeat(50) }, { columns: 20, rows: 24 })
    expect(line).to.equal(`${'x'.repeat(19)}…`)
  })

  it('says that there is no headline yet, and nothing of headlines in a program that has none', () => {
    expect(screenLines({ ...running, headlines: [] }, size)).to.include('  none yet')
    expect(screenLines({ ...running, headlines: null }, size)).to.not.include('Newest bursts')
  })
})
