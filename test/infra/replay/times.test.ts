import { expect } from 'chai'
import { OperationError } from '../../../infra/errors.ts'
import { parseTime, timeText } from '../../../infra/replay/times.ts'

const nowMs = Date.UTC(2026, 0, 31, 12)

describe('times of a replay', () => {
  const read: readonly [string, string][] = [
    ['now', '2026-01-31T12:00:00.000Z'],
    ['-6h', '2026-01-31T06:00:00.000Z'],
    ['-5m', '2026-01-31T11:55:00.000Z'],
    ['-90s', '2026-01-31T11:58:30.000Z'],
    ['-1.5d', '2026-01-30T00:00:00.000Z'],
    ['1769860800', '2026-01-31T12:00:00.000Z'],
    ['1769860800123', '2026-01-31T12:00:00.123Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T10:30', '2026-01-31T10:30:00.000Z'],
    ['2026-01-31T10:30:01.5Z', '2026-01-31T10:30:01.500Z'],
    ['2026-01-31T10:30+02:00', '2026-01-31T08:30:00.000Z'],
  ]
  for (const [text, atIso] of read)
    it(`reads ${text}`, () => {
      expect(timeText(parseTime(text, nowMs))).to.equal(atIso)
    })

  for (const text of [
    '',
    'yesterday',
    '6h',
    '-6',
    '-6w',
    '2026-13-01',
    '2026-01-31 10:30',
    '12:00',
    '1e12',
    '+6h',
    '99999999999999999',
    '-200000000d',
  ])
    it(`refuses "${text}" and says what it takes`, () => {
      expect(() => parseTime(text, nowMs)).to.throw(OperationError, 'is not a time. Write now, -6h')
    })
})
